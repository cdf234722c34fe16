// Package einvoice judges electronic invoices by the official rules: those of the European norm EN 16931, of Peppol BIS
// Billing and of XRechnung.
//
// The rules are Schematron files, which are not part of this project. KONTOR_EINVOICE_RULES names their folder, and
// KONTOR_PDFA_JUDGE that of a judge of PDF/A-3B, pdfa-judge.jar with PDFA-3B.xml; without them only the tests run that need no
// rules. With the build tag "rules", the judge turns each file into a stylesheet
// (schematron.xsl), and applies it to all documents in one run of Saxon (judge.xsl). It needs Debian's packages
// libsaxonhe-java and default-jre-headless.
//
// The documents are random, made from a seed: counts and prices with fractions, discounts, every VAT category, parties
// of many countries, of whose data some may be missing. A document for which billing.Check finds nothing must be
// accepted, and one that lacks something must be refused by the rule that Check names.
//
// The package also runs the walk of docs/documents.md from an empty database to documents. The rules judge these, and the
// documents of the page's other sections.
package einvoice
