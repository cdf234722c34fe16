package data

import "strings"

// Search words that are in the names of some clients and nowhere else.
const (
	RareWord   = "Quendelhof" // in the names of 25 clients whatever the size
	CommonWord = "Technik"    // in about 43 of 1000
)

var families = []string{
	"Abel", "Adler", "Albrecht", "Andersen", "Arslan", "Baker", "Bauer", "Becker", "Berg", "Bianchi",
	"Böhm", "Brandt", "Bruun", "Campbell", "Carlsson", "Castro", "Cérny", "Clausen", "Costa", "Dahl",
	"Demir", "Dietrich", "Dubois", "Ebert", "Eriksen", "Esposito", "Falk", "Fischer", "Fournier", "Frank",
	"Gallo", "García", "Girard", "Gómez", "Groß", "Günther", "Haas", "Hahn", "Hansen", "Hartmann",
	"Hoffmann", "Holm", "Horváth", "Huber", "Ivanova", "Jäger", "Jensen", "Johansson", "Jonsson", "Jung",
	"Kaiser", "Kaya", "Keller", "Klein", "Koch", "Kowalska", "König", "Krämer", "Krause", "Kuhn",
	"Lang", "Larsen", "Lefèvre", "Lehmann", "Lindqvist", "Lorenz", "Ludwig", "Maier", "Marino", "Martin",
	"Mårtensson", "Möller", "Moreau", "Müller", "Murphy", "Nagy", "Neumann", "Nielsen", "Novák", "Nowak",
	"O'Brien", "Øster", "Olsen", "Otto", "Pavlović", "Peters", "Pfeiffer", "Pohl", "Popescu", "Ricci",
	"Richter", "Romano", "Roth", "Rousseau", "Sauer", "Schäfer", "Schmidt", "Schröder", "Schulz", "Simon",
	"Sørensen", "Sommer", "Şahin", "Stein", "Svoboda", "Szabó", "Tamm", "Thomsen", "Torres", "Vogel",
	"Vogt", "Wagner", "Walter", "Weber", "Winter", "Wójcik", "Yılmaz", "Ziegler", "Zimmermann", "Żak",
}

var givenNames = []string{
	"Aino", "Alma", "André", "Anna", "Arne", "Ayşe", "Björn", "Carla", "Chloé", "Clara",
	"Daniel", "David", "Elena", "Elif", "Emil", "Emma", "Erik", "Eva", "Felix", "Finn",
	"François", "Frida", "Greta", "Hanna", "Hugo", "Ida", "Jakob", "Jana", "Jörg", "José",
	"Julia", "Jürgen", "Karin", "Lars", "Lea", "Leo", "Liam", "Lina", "Lotte", "Łukasz",
	"Magnus", "Maja", "Marek", "Maria", "Max", "Mira", "Niels", "Nina", "Noah", "Nora",
	"Olga", "Oskar", "Paul", "Petra", "Rosa", "Søren", "Sofía", "Tomáš", "Vera", "Zoë",
}

var trades = []string{
	"Antiques", "Bakery", "Bikes", "Boatyard", "Brewery", "Bücher", "Carpentry", "Catering", "Ceramics", "Clinics",
	"Druckerei", "Elektro", "Farming", "Fliesen", "Forwarding", "Garten", "Glas", "Holzbau", "Hotels", "Insurance",
	"Kitchens", "Logistics", "Maschinen", "Media", "Metallbau", "Möbel", "Optics", "Papier", "Pharma", "Roofing",
	"Sanitär", "Schools", "Software", "Solar", "Textil", "Tiefbau", "Tools", "Toys", "Travel", "Weine",
}

var legalForms = []string{"GmbH", "GmbH & Co. KG", "AG", "Ltd", "Inc.", "ApS", "AB", "s.r.o.", "Sp. z o.o.", "SARL", "e.K.", "OHG"}

var streets = []string{
	"Am Markt", "Bahnhofstraße", "Bergweg", "Canal Street", "Dorfstraße", "Feldweg", "Gartenstraße", "Hafenstraße",
	"High Street", "Industriepark", "Kirchgasse", "Lange Reihe", "Mill Lane", "Mühlenweg", "Nørregade", "Parkallee",
	"Rue de la Gare", "Schulstraße", "Station Road", "Storgatan", "Tulpenweg", "Via Roma", "Waldstraße", "Zur Alten Post",
}

var cities = []string{
	"10115 Berlin", "20457 Hamburg", "24103 Kiel", "28195 Bremen", "30159 Hannover", "40213 Düsseldorf", "50667 Köln",
	"60311 Frankfurt", "70173 Stuttgart", "80331 München", "01067 Dresden", "04109 Leipzig", "1010 Wien", "8001 Zürich",
	"1050 København", "111 29 Stockholm", "0150 Oslo", "00100 Helsinki", "00-001 Warszawa", "110 00 Praha", "75001 Paris",
	"69001 Lyon", "1000 Bruxelles", "1012 Amsterdam", "20121 Milano", "28013 Madrid", "1100-148 Lisboa", "Dublin D01",
}

var positions = []string{
	"Accounts", "Buyer", "Clerk", "Engineer", "Foreman", "Geschäftsführerin", "Head of purchasing", "Owner", "Secretary", "Warehouse",
}

var remarks = []string{
	"Pays within ten days.", "Asks for a discount each time.", "Deliver before noon, back entrance.",
	"Met at the fair in spring.", "Wants invoices by post.", "Prefers to be called in the afternoon.",
	"Liefertermin telefonisch abstimmen.", "Large orders in autumn.", "Was a client of the old office.",
	"Needs the order number on every paper.", "Framework agreement, renewed yearly.", "Ruft selbst zurück.",
}

var undertakings = []string{
	"Conversion", "Delivery", "Expansion", "Fit-out", "Framework order", "Inspection", "Lagerumbau", "Maintenance",
	"Neubau", "Overhaul", "Pilot", "Relocation", "Renewal", "Repair", "Replacement", "Sample order", "Service contract", "Trade fair",
}

var plainLetters = strings.NewReplacer(
	"ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "Ö", "Oe", "Ø", "O", "ø", "o", "å", "a", "á", "a", "é", "e", "è", "e", "ë", "e",
	"í", "i", "ó", "o", "ç", "c", "ć", "c", "č", "c", "š", "s", "ş", "s", "Ş", "S", "ı", "i", "Ł", "L", "ł", "l", "Ż", "Z", "'", "",
)

// plain is a word in the small letters of ASCII, as in an address.
func plain(word string) string { return strings.ToLower(plainLetters.Replace(word)) }
