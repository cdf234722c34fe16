// Command kontor is the CRM and invoicing service, with the commands to operate
// it.
package main

import "github.com/kontor-crm/kontor/cmd/program"

func main() { program.Main() }
