// Package pooler tests the service behind PgBouncer in transaction mode. The whole suite
// of test/api runs there too, with KONTOR_TEST_POOLER=transaction, as a part of
// make ci-full.
package pooler
