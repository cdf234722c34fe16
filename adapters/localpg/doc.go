// Package localpg runs a private PostgreSQL with its own tools, initdb and pg_ctl, so that an operator can start without
// a database server.
//
// # Decisions
//
// Chose: PostgreSQL's postmaster.pid says whether a server runs and where its socket is, and the socket whether it
// accepts connections. Because: it is true however the server was started, so that a server whose Kontor was killed is
// used as it is. Costs: that server keeps its settings until its next start.
//
// Chose: flock on the data directory itself says who owns it. Because: the kernel releases it however the owner ends, and
// no file remains. Costs: the message to a second owner does not name the first.
//
// Chose: trust authentication for every user who can enter the socket's folder, with one role for all. Because: the
// folder's mode is the boundary; a password would be in a file beside it. Costs: the database's user and root may do
// everything.
//
// Chose: root keeps the data directory and hands only the folders inside to the database's user. Because: a
// KONTOR_DATA_DIR that names a folder with other things in it must not change hands. Costs: that user must be able to
// enter the parent folders.
//
// Chose: settings as arguments of the server, and the settings that keep it private last. Because: they belong to the
// version of Kontor that runs, not to the one that made the data. Costs: a long line in the process list.
//
// Chose: PostgreSQL's logging collector, with a file for each day of the week. Because: the log is limited, and survives
// Kontor. It is terse and without statements, so that it contains no customer data. Costs: a second log to look at.
//
// Chose: locale C, UTF-8, UTC and data checksums for new data, and an almost empty environment for the server. Because:
// nothing should depend on the machine; text is ordered by keys that the application computes. Only what a letter is
// comes from C.UTF-8 where the system has it: in C trigrams have Latin letters only, and searches in other scripts read
// all texts. Costs: a few per cent of writing, for the checksums.
package localpg
