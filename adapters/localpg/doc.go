// Package localpg is the embedded default: a private PostgreSQL that Kontor finds, starts, supervises and stops,
// so that a company can begin without a database of its own. Start is for the service, which owns the data folder;
// Attach is for commands, which use the owner's server or, where none runs, start one for themselves.
//
// # How a start goes
//
// The programs are looked for; the folder is made and locked; the account that runs the database is chosen;
// missing data are created aside and renamed into place; a server left by a killed Kontor is stopped; the server
// is launched and asked until it answers; the database is made where it is missing. Each step may be repeated after
// an interruption at any point, which is the whole recovery.
//
// # Decisions
//
// Chose to stop an orphaned server and start afresh, rather than to adopt it, because the new one is then like any
// other: our child, with this version's settings and its log in ours. It costs a fraction of a second, and the
// connections of a command that was attached to the orphan.
//
// Chose flock on a file in the folder, because the kernel gives it up however the owner ends. The file also
// tells the owner's process and socket, for messages and for Attach; reading it takes no lock, so that a glance
// never makes a start fail. It costs a file that stays behind, empty.
//
// Chose to recognise an orphan by more than the number in its pid file (on Linux its working folder, elsewhere
// its command line), because after a reboot that number may be anybody's and root would signal the wrong one. It costs
// a file per system, and needs /proc on Linux.
//
// Chose trust for whoever enters the socket's folder, with one role for all, because the folder's mode is the
// boundary: a password would have to lie in a file beside it. Root enters every folder, so the role needs not be the
// name of any system user. It costs that the database's user and root may do everything.
//
// Chose that root keeps the data folder itself and hands only the two folders inside to the database's user, because
// a KONTOR_DATA_DIR that names a folder with other things in it must not change hands. A folder that already
// belongs to an ordinary user decides who runs the database even before there are data. It costs that this user must be
// able to pass the parent folders; where not, the error names the one in the way.
//
// Chose settings as arguments rather than in postgresql.conf, because they belong to the version of Kontor that runs,
// not to the one that first made the folder. What keeps the server private stands last, where nothing overrides
// it. It costs a long line in the list of processes; nothing in it is secret.
//
// Chose to pass the server's log on to Kontor's rather than to a file, because its size is then somebody's
// business already. It is kept terse and without statements, so that no customer's data get there; what a
// connection is told is logged for debugging only, because the code that opened the connection reports it. It costs the
// messages of the time when no Kontor runs, which is when an orphan waits.
//
// Chose locale C, UTF-8, UTC and data checksums for new data, and an almost empty environment for the server, because
// nothing should depend on the machine. Text is ordered by keys that the application computes. It costs
// checksums: a few per cent of writing.
//
// Chose to let initdb sync what it writes, although its part of a first start (a second and a half in all) could be
// a little shorter, because the rename must not put in place what the disk does not hold.
//
// Chose version 14 as the oldest for new data, because older ones are no longer maintained. Existing data are
// opened with the version that wrote them and never upgraded here.
package localpg
