// Package localpg runs a private PostgreSQL, which Kontor finds, starts, supervises and stops, so that an operator can
// start without a database server. Start is for the service, which owns the data directory; Attach is for commands, which
// use the owner's server or, if none runs, start one for the duration of the command.
//
// # Steps of a start
//
// Find the programs; create and lock the folder; choose the account that runs the database; create missing data in a
// temporary folder and rename it into place; stop a server left by a killed Kontor; launch the server and poll it until it
// responds; create the database if it is missing. Each step may be repeated after an interruption at any point, so
// recovery needs nothing else.
//
// # Decisions
//
// Chose to stop an orphaned server and start a new one, rather than to adopt it, because the new one is then like any
// other: our child, with this version's settings and its log in ours. It costs a fraction of a second, and the
// connections of a command that was attached to the orphan.
//
// Chose flock on a file in the folder, because the kernel releases it however the owner ends. The file also contains
// the owner's process id and socket, for messages and for Attach; reading it takes no lock, so that a reader never makes
// a start fail. It costs an empty file that remains.
//
// Chose to identify an orphan by more than its pid file (on Linux its working directory, elsewhere its command line),
// because after a reboot that pid may be another process, and root would signal the wrong one. It costs
// a file per system, and needs /proc on Linux.
//
// Chose trust authentication for every user who can enter the socket's folder, with one role for all, because the
// folder's mode is the boundary: a password would be in a file beside it. Root can enter every folder, so the role need
// not be the name of a system user. It costs that the database's user and root may do everything.
//
// Chose that root keeps the data directory itself and hands only the two folders inside to the database's user, because
// a KONTOR_DATA_DIR that names a folder with other things in it must not change hands. A folder that already
// belongs to an ordinary user determines the user of the database even before there is data. It costs that this user must be
// able to enter the parent folders; if not, the error names the one that denies it.
//
// Chose settings as arguments rather than in postgresql.conf, because they belong to the version of Kontor that runs,
// not to the one that first made the folder. The settings that keep the server private come last, where nothing overrides
// them. It costs a long line in the process list; nothing in it is secret.
//
// Chose to forward the server's log to Kontor's rather than to a file, because that one is already rotated. It is terse
// and without statements, so that it contains no customer data; errors of a connection are logged at debug level only,
// because the code that opened the connection reports them. It costs the messages while no Kontor runs, which is while
// an orphan waits.
//
// Chose locale C, UTF-8, UTC and data checksums for new data, and an almost empty environment for the server, because
// nothing should depend on the machine. Text is ordered by keys that the application computes. Only what a letter is
// comes from C.UTF-8 where the system has it, because in C trigrams have Latin letters only, and searches in other
// scripts read all texts. It costs a few per cent of writing, for the checksums.
//
// Chose to let initdb sync what it writes, although its part of a first start (a second and a half in all) could be
// a little shorter, because the rename must not put data in place that is not on disk.
//
// Chose version 14 as the oldest for new data, because older ones are no longer maintained. Existing data are
// opened with the version that wrote them and never upgraded here.
package localpg
