"""List the names and the fixed choices from which the company graph is built. All of them are invented."""

from dataclasses import dataclass

COMPANY = "Vantorre Systems"

# Office: city, opening date, seats, how often people from other teams sit there.
OFFICES = {
    "Rotterdam HQ": ("Rotterdam", "2009-03-02", 140, 5),
    "Berlin Office": ("Berlin", "2012-09-17", 85, 5),
    "Kraków Lab": ("Kraków", "2014-05-05", 60, 3),
    "Lisbon Hub": ("Lisbon", "2018-02-12", 48, 3),
    "Leeds Works": ("Leeds", "2011-06-20", 110, 2),
    "Toronto Office": ("Toronto", "2016-10-03", 52, 2),
    "Singapore Office": ("Singapore", "2019-04-08", 30, 1),
    "Nairobi Office": ("Nairobi", "2021-11-15", 24, 1),
}

COUNTRIES = {
    "Netherlands": ["Rotterdam", "Utrecht", "Eindhoven"],
    "Germany": ["Berlin", "Hamburg", "Bremen", "Munich", "Leipzig"],
    "Poland": ["Kraków", "Gdańsk", "Wrocław"],
    "Portugal": ["Lisbon", "Porto"],
    "United Kingdom": ["Leeds", "Bristol", "Glasgow"],
    "Canada": ["Toronto", "Montreal", "Halifax"],
    "Singapore (country)": ["Singapore"],
    "Kenya": ["Nairobi", "Mombasa"],
    "Sweden": ["Gothenburg", "Malmö"],
    "Italy": ["Genoa", "Turin"],
    "Spain": ["Valencia", "Bilbao"],
    "Chile": ["Valparaíso"],
    "Vietnam": ["Da Nang"],
    "Taiwan": ["Taichung"],
    "South Korea": ["Busan"],
    "India": ["Pune", "Chennai"],
}

# Department: cost centre, budget in euros.
DEPARTMENTS = {
    "Engineering": ("CC-4100", 6_400_000),
    "Research & Development": ("CC-4200", 2_750_000),
    "Product & Design": ("CC-4300", 1_480_000),
    "Operations": ("CC-5100", 5_200_000),
    "Sales": ("CC-6100", 3_150_000),
    "Customer Success": ("CC-6200", 1_920_000),
    "Finance": ("CC-7100", 860_000),
    "People & Culture": ("CC-7200", 640_000),
    "IT & Security": ("CC-7300", 1_350_000),
    "Management": ("CC-9000", 1_100_000),
}


@dataclass(frozen=True, slots=True)
class Team:
    """Describe a team: where most of its people sit, how many there are, and what they do."""

    name: str
    department: str
    office: str
    size: int
    manager: str
    titles: tuple[str, ...]
    skills: tuple[str, ...]


_SOFTWARE = ("Software Engineer", "Senior Software Engineer", "Software Engineer", "Staff Engineer")
_SUPPORT = ("Support Agent", "Support Agent", "Support Engineer")

TEAMS = (
    Team("Atlas Core", "Engineering", "Rotterdam HQ", 6, "Engineering Manager", _SOFTWARE,
         ("Go", "SQL", "Kubernetes", "TypeScript", "Python")),
    Team("Beacon Firmware", "Engineering", "Kraków Lab", 5, "Engineering Manager",
         ("Firmware Engineer", "Senior Firmware Engineer"), ("Embedded C", "Rust", "Soldering", "Bluetooth")),
    Team("Cloud Platform", "Engineering", "Berlin Office", 5, "Engineering Manager", _SOFTWARE,
         ("Kubernetes", "Terraform", "Go", "Linux", "Python")),
    Team("Data Pipelines", "Engineering", "Toronto Office", 4, "Engineering Manager",
         ("Data Engineer", "Senior Data Engineer"), ("Python", "SQL", "Spark", "Machine Learning")),
    Team("Mobile Apps", "Engineering", "Lisbon Hub", 4, "Engineering Manager", _SOFTWARE,
         ("Kotlin", "Swift", "TypeScript", "User Research")),
    Team("Quality Assurance", "Engineering", "Kraków Lab", 4, "QA Manager", ("Test Engineer", "Senior Test Engineer"),
         ("Test Automation", "Python", "SQL", "Technical Writing")),
    Team("Robotics Lab", "Research & Development", "Rotterdam HQ", 5, "Research Manager",
         ("Research Engineer", "Senior Researcher"), ("ROS", "Rust", "Python", "Soldering", "Machine Learning")),
    Team("Vision Lab", "Research & Development", "Toronto Office", 4, "Research Manager",
         ("Research Engineer", "Senior Researcher"), ("Computer Vision", "Machine Learning", "Python")),
    Team("Design", "Product & Design", "Berlin Office", 4, "Design Manager", ("Product Designer", "UX Researcher"),
         ("Figma", "User Research", "Technical Writing")),
    Team("Product Management", "Product & Design", "Rotterdam HQ", 5, "Head of Product",
         ("Product Manager", "Senior Product Manager"), ("Scrum", "User Research", "Public Speaking", "SQL")),
    Team("Site Reliability", "Operations", "Berlin Office", 5, "Engineering Manager",
         ("Site Reliability Engineer", "Senior Site Reliability Engineer"),
         ("Linux", "Kubernetes", "Terraform", "Incident Response")),
    Team("Manufacturing", "Operations", "Leeds Works", 6, "Plant Manager",
         ("Assembly Technician", "Process Engineer", "Assembly Technician"),
         ("Soldering", "Lean Manufacturing", "First Aid", "Forklift Licence")),
    Team("Field Service", "Operations", "Leeds Works", 5, "Field Service Manager", ("Field Technician",),
         ("Networking", "Soldering", "First Aid", "Forklift Licence")),
    Team("Sales Europe", "Sales", "Berlin Office", 6, "Sales Manager", ("Account Manager", "Senior Account Manager"),
         ("Negotiation", "Salesforce", "Public Speaking")),
    Team("Sales Americas", "Sales", "Toronto Office", 4, "Sales Manager",
         ("Account Manager", "Senior Account Manager"), ("Negotiation", "Salesforce", "Public Speaking")),
    Team("Sales APAC", "Sales", "Singapore Office", 4, "Sales Manager", ("Account Manager", "Senior Account Manager"),
         ("Negotiation", "Salesforce", "Mandarin")),
    Team("Support Tier 1", "Customer Success", "Lisbon Hub", 6, "Support Manager", _SUPPORT,
         ("Zendesk", "Technical Writing", "First Aid")),
    Team("Support Tier 2", "Customer Success", "Nairobi Office", 4, "Support Manager",
         ("Support Engineer", "Senior Support Engineer"), ("Zendesk", "SQL", "Linux", "Networking")),
    Team("Onboarding", "Customer Success", "Nairobi Office", 4, "", ("Onboarding Specialist",),
         ("Public Speaking", "Technical Writing", "Salesforce")),
    Team("Accounting", "Finance", "Rotterdam HQ", 4, "Finance Manager", ("Accountant", "Controller"),
         ("IFRS", "Excel", "SAP")),
    Team("Procurement", "Finance", "Leeds Works", 4, "Procurement Manager", ("Buyer", "Senior Buyer"),
         ("Negotiation", "SAP", "Excel")),
    Team("Recruiting", "People & Culture", "Lisbon Hub", 4, "Recruiting Manager", ("Recruiter", "HR Generalist"),
         ("Public Speaking", "Excel", "First Aid")),
    Team("Workplace IT", "IT & Security", "Rotterdam HQ", 4, "IT Manager", ("IT Specialist", "System Administrator"),
         ("Linux", "Networking", "Terraform")),
    Team("Security", "IT & Security", "Berlin Office", 4, "Security Manager",
         ("Security Analyst", "Senior Security Engineer"), ("Penetration Testing", "Incident Response", "Linux")),
)  # fmt: skip

LANGUAGES = ("German", "French", "Spanish", "Polish", "Portuguese", "Mandarin", "Dutch", "Swahili")

# The first ten people are the chief executive and the department heads, in the order of DEPARTMENTS. A name that two
# people share carries the city in parentheses.
PEOPLE = (
    "Marijke van Dorp", "Tomasz Wieczorek", "Ifeoma Balogun", "Clara Lindqvist", "Gareth Pugh-Morris",
    "Beatriz Salgado", "Samuel Wanjiru", "Hendrik Oosterhuis", "Leonor Pimentel", "Katrin Albrecht",
    "Joris Bakhuis", "Farah Benyamina", "Pieter Soetens", "Mei-Lin Tsao", "Oskar Fjellheim", "Yusuf Karadeniz",
    "Agnieszka Zielonka", "Bartosz Krol", "Ewa Mazurkiewicz", "Ruslan Hrytsenko", "Dominik Sowa",
    "Anna Schmidt (Berlin)", "Jonas Ehrlich", "Priya Raghunathan", "Lukas Brandner", "Chidi Okafor",
    "Amelie Thibault", "David Kim (Toronto)", "Rohan Deshpande", "Sofia Petrakis",
    "Tiago Quintela", "Ines Carvalhal", "Emre Aydin", "Rafaela Nóbrega",
    "Magdalena Wrona", "Piotr Gajewski", "Oleksandra Bondar", "Kacper Lis",
    "Wouter Heemskerk", "Aiko Nakahara", "Daan Verbruggen", "Nadia El-Amrani", "Stijn Callens",
    "Anna Schmidt (Toronto)", "Vikram Sethuraman", "Chloe Gagnier", "Mateo Ibarrola",
    "Lena Vogelsang", "Hugo Marchetti", "Freya Nilsen", "Tarek Haddadin",
    "Anneke Drost", "Olumide Adeyinka", "Sanne Kuipers", "Gabriel Fontaine", "Irina Velichko",
    "Maximilian Roth", "Zeynep Yildirim", "Felix Obermann", "Noor Rahmani", "Kwabena Osei",
    "Alan Hargreaves", "Maggie Thistlewood", "Imran Qureshi", "Bronwen Llewellyn", "Stefan Ionescu", "Darren Oakes",
    "Fiona MacAskill", "Callum Brodie", "Shanice Whitlock", "Marek Havel", "Deepa Nambiar",
    "Ulrike Stahlberg", "Paolo Severini", "Camille Rousselet", "Astrid Holmgren", "Javier Montalbán",
    "Nikolai Petrov", "Kayla Whitefeather", "Andre Baptiste", "Rosa Quispe", "Liam O'Donoghue",
    "Wei Zhang", "Siti Nurhaliza Rahim", "Arjun Malhotra", "David Kim (Singapore)",
    "Mariana Falcão", "Nuno Tavares", "Joana Bettencourt", "Diego Arroyo", "Carolina Freixo", "Samira Osman",
    "Wanjiku Kamau", "Brian Otieno", "Grace Achieng", "Peter Mwangi",
    "Aisha Abdalla", "Kevin Njoroge", "Esther Chebet", "Fatima Noor",
    "Ruben Steenwijk", "Elif Demirci", "Koen Vanderlinden", "Hanna Bergqvist",
    "Nigel Ashworth", "Tracy Pemberton", "Mohammed Iqbal", "Jade Fenwick",
    "Ana Rita Moura", "Ricardo Valadas", "Lucie Novotná", "Bianca Ferraro",
    "Jeroen Mulder", "Thandiwe Nkosi", "Milan Dragović", "Saskia de Wit",
    "Viktor Hahnemann", "Leila Farrokhi", "Erik Sandvik", "Yara Khoury",
)  # fmt: skip

# Product: team, status, release date, price in euros, what it depends on.
PRODUCTS = {
    "Atlas": ("Atlas Core", "sunset", "2015-04-14", 2400, ("Harbor", "Ledger DB")),
    "Atlas 2": ("Atlas Core", "active", "2021-09-28", 3900, ("Harbor", "Tandem", "Ledger DB")),
    "Beacon": ("Beacon Firmware", "active", "2017-03-07", 189, ("LoRa Module L7", "Battery Pack B3", "Housing H2")),
    "Beacon Mini": ("Beacon Firmware", "active", "2022-06-21", 119, ("LoRa Module L9", "Coin Cell C1", "Housing H4")),
    "Courier": ("Mobile Apps", "active", "2019-11-05", 640, ("Harbor", "Tandem")),
    "Drift": ("Robotics Lab", "beta", "2025-02-18", 14500, ("Lidar Unit V2", "Motor M12", "Battery Pack B8", "Fathom")),
    "Ember Gateway": ("Beacon Firmware", "active", "2018-08-30", 480, ("LoRa Module L7", "Power Supply P5")),
    "Fathom": ("Vision Lab", "beta", "2024-10-22", 5200, ("Camera Head K4", "Meridian")),
    "Harbor": ("Cloud Platform", "active", "2016-01-19", 1500, ("Ledger DB",)),
    "Lumen Sense": ("Beacon Firmware", "retired", "2014-10-01", 95, ("Battery Pack B3", "Housing H2")),
    "Lumen Sense Pro": ("Beacon Firmware", "active", "2020-05-12", 145, ("LoRa Module L9", "Optic Sensor S1")),
    "Meridian": ("Data Pipelines", "active", "2020-12-03", 2800, ("Harbor",)),
    "Quill": ("Product Management", "retired", "2013-07-09", 310, ()),
    "Tandem": ("Cloud Platform", "active", "2023-03-15", 750, ("Harbor",)),
}

# Supplier: city, the components that it makes, the models of equipment that it sells.
SUPPLIERS = {
    "Radiolink Busan": ("Busan", ("LoRa Module L7", "LoRa Module L9"), ()),
    "Taichung Optics": ("Taichung", ("Camera Head K4", "Optic Sensor S1", "Lidar Unit V2"), ()),
    "Volta Cells Ibérica": ("Valencia", ("Battery Pack B3", "Battery Pack B8"), ()),
    "Minerva Batterie": ("Turin", ("Coin Cell C1", "Battery Pack B3"), ()),
    "Plastform Wrocław": ("Wrocław", ("Housing H2", "Housing H4"), ()),
    "Dalesmoor Plastics": ("Leeds", ("Housing H2",), ()),
    "Drehmoment Antriebe": ("Munich", ("Motor M12",), ()),
    "Kaveri Power": ("Chennai", ("Power Supply P5",), ()),
    "Ledgerworks": ("Utrecht", ("Ledger DB",), ()),
    "Hoogland Office Supply": ("Eindhoven", (), ("Corvo 14", "Osmo 27")),
    "Nordtech Hardware": ("Malmö", (), ("Corvo 16 Pro",)),
    "Clydeside Instruments": ("Glasgow", (), ("Brava Scope", "Halden Thermal Camera")),
    "Maple Telecom": ("Montreal", (), ("Halden P5",)),
    "Lion City Devices": ("Singapore", (), ("Halden P5", "Corvo 14")),
    "Printwerk Leipzig": ("Leipzig", (), ("Tern 3D Printer",)),
}

# Model of equipment: prefix of its inventory numbers, lowest and highest price in euros, teams that use it.
MODELS = {
    "Corvo 14": ("LT", 1150, 1390, ()),
    "Corvo 16 Pro": ("LT", 2150, 2690, ("Atlas Core", "Cloud Platform", "Vision Lab", "Design", "Data Pipelines")),
    "Osmo 27": ("MN", 280, 360, ()),
    "Halden P5": ("PH", 520, 690, ("Sales Europe", "Sales APAC", "Sales Americas", "Field Service")),
    "Brava Scope": ("OS", 3800, 4400, ("Beacon Firmware", "Robotics Lab", "Manufacturing")),
    "Halden Thermal Camera": ("TC", 1750, 1980, ("Field Service", "Manufacturing")),
    "Tern 3D Printer": ("PR", 2900, 3300, ("Robotics Lab", "Design")),
}

# Customer: city, industry.
CUSTOMERS = {
    "Nordlicht Reederei": ("Hamburg", "shipping"), "Bremer Hafenlogistik": ("Bremen", "logistics"),
    "Delmare Shipping": ("Genoa", "shipping"), "Costa Verde Foods": ("Porto", "food"),
    "Quinta do Sol Vinhos": ("Porto", "food"), "Alder & Finch": ("Bristol", "retail"),
    "Penhallow Stores": ("Bristol", "retail"), "Glenorchy Dairies": ("Glasgow", "food"),
    "Skåne Fjärrvärme": ("Malmö", "energy"), "Västhamn Terminal": ("Gothenburg", "logistics"),
    "Trellborg Pharma": ("Gothenburg", "pharma"), "Baltika Cargo": ("Gdańsk", "logistics"),
    "Sklepy Wawel": ("Kraków", "retail"), "Odra Chemia": ("Wrocław", "chemicals"),
    "Van Houten Fresh": ("Utrecht", "food"), "Maasvlakte Cold Storage": ("Rotterdam", "logistics"),
    "Brabant Medical": ("Eindhoven", "pharma"), "Isarwerk Automotive": ("Munich", "automotive"),
    "Pleiße Druck": ("Leipzig", "printing"), "Spreewald Apotheken": ("Berlin", "pharma"),
    "Rheingau Feinkost": ("Berlin", "food"), "Torino Ricambi": ("Turin", "automotive"),
    "Puerto Norte Graneles": ("Valparaíso", "shipping"), "Andes Fruit Export": ("Valparaíso", "food"),
    "Levante Cerámica": ("Valencia", "building materials"), "Euskal Acero": ("Bilbao", "steel"),
    "Maritime Lobster Co-op": ("Halifax", "food"), "Harbourfront Grocers": ("Toronto", "retail"),
    "Laurentide Paper": ("Montreal", "printing"), "Great Elk Energy": ("Toronto", "energy"),
    "Saint-Ambroise Pharma": ("Montreal", "pharma"), "Straits Container Lines": ("Singapore", "shipping"),
    "Orchid Medical Supply": ("Singapore", "pharma"), "Hải Vân Textiles": ("Da Nang", "textiles"),
    "Haeundae Marine": ("Busan", "shipping"), "Dadu Bicycle": ("Taichung", "automotive"),
    "Sahyadri Motors": ("Pune", "automotive"), "Coromandel Cement": ("Chennai", "building materials"),
    "Rift Valley Flowers": ("Nairobi", "agriculture"), "Mombasa Tea Traders": ("Mombasa", "food"),
    "Savanna Solar": ("Nairobi", "energy"), "Kilimo Fresh": ("Nairobi", "agriculture"),
}  # fmt: skip

# Sales teams look after customers in these countries; Sales Europe has the rest.
SALES_REGIONS = {
    "Sales Americas": ("Canada", "Chile"),
    "Sales APAC": ("Singapore (country)", "Vietnam", "Taiwan", "South Korea", "India"),
}

# Project: product that it delivers or "", teams that staff it, customer or "".
PROJECTS = {
    "Blue Heron": ("Atlas 2", "Atlas Core", "Nordlicht Reederei"),
    "Copperfield": ("Meridian", "Data Pipelines", "Great Elk Energy"),
    "Night Market": ("Courier", "Mobile Apps", "Straits Container Lines"),
    "Polaris": ("Atlas 2", "Atlas Core", ""),
    "Juniper": ("Beacon Mini", "Beacon Firmware", ""),
    "Red Kite": ("Drift", "Robotics Lab", "Maasvlakte Cold Storage"),
    "Saltmarsh": ("Lumen Sense Pro", "Beacon Firmware", "Glenorchy Dairies"),
    "Foxglove": ("Fathom", "Vision Lab", "Trellborg Pharma"),
    "Granite": ("Harbor", "Cloud Platform", ""),
    "Tidepool": ("Fathom", "Vision Lab", "Maritime Lobster Co-op"),
    "Sandpiper": ("Courier", "Mobile Apps", "Harbourfront Grocers"),
    "Windmill": ("Tandem", "Cloud Platform", ""),
    "Marmalade": ("Atlas 2", "Quality Assurance", ""),
    "Obsidian": ("Harbor", "Security", ""),
    "Paper Crane": ("Meridian", "Data Pipelines", "Laurentide Paper"),
    "Hopscotch": ("Courier", "Design", ""),
    "Ironbark": ("Ember Gateway", "Beacon Firmware", "Coromandel Cement"),
    "Lighthouse": ("Harbor", "Site Reliability", ""),
    "Monsoon": ("Beacon", "Field Service", "Sahyadri Motors"),
    "Nutmeg": ("Beacon Mini", "Manufacturing", ""),
    "Firefly": ("Lumen Sense Pro", "Field Service", "Savanna Solar"),
    "Quicksilver": ("Drift", "Robotics Lab", "Isarwerk Automotive"),
    "Rosewood": ("", "Recruiting", ""),
    "Skylark": ("Atlas 2", "Onboarding", "Penhallow Stores"),
    "Umbra": ("", "Workplace IT", ""),
    "Vermilion": ("Meridian", "Vision Lab", "Delmare Shipping"),
    "Yellow Brick": ("", "Accounting", ""),
    "Zephyr": ("Tandem", "Site Reliability", "Skåne Fjärrvärme"),
    "Cinnamon": ("", "Procurement", ""),
    "Dragonfly": ("Beacon", "Beacon Firmware", "Rift Valley Flowers"),
    "Evergreen": ("Atlas 2", "Onboarding", "Van Houten Fresh"),
    "Moonraker": ("Drift", "Robotics Lab", ""),
    "Snowdrop": ("Fathom", "Data Pipelines", "Orchid Medical Supply"),
    "Thistle": ("Ember Gateway", "Manufacturing", ""),
}

ROOT_CAUSES = ("bad deploy", "config error", "hardware fault", "third-party outage", "expired certificate",
               "human error", "capacity")  # fmt: skip

ALIASES = {
    "Rotterdam HQ": ("HQ",),
    "Research & Development": ("R&D",),
    "People & Culture": ("HR",),
    "IT & Security": ("IT",),
    "Customer Success": ("CS",),
    "Product Management": ("PM team",),
    "Quality Assurance": ("QA",),
    "Site Reliability": ("SRE",),
    "Support Tier 1": ("Tier 1", "T1 support"),
    "Support Tier 2": ("Tier 2", "T2 support"),
    "United Kingdom": ("UK",),
    "Netherlands": ("the Netherlands", "Holland"),
    "Singapore (country)": ("Republic of Singapore",),
    "Ember Gateway": ("Ember",),
    "Beacon Mini": ("BMini",),
    "Atlas 2": ("Atlas II",),
    "Nordlicht Reederei": ("NLR",),
    "Bremer Hafenlogistik": ("BHL",),
    "Straits Container Lines": ("SCL", "Straits Container"),
    "Maasvlakte Cold Storage": ("MCS",),
    "Saint-Ambroise Pharma": ("Saint Ambroise",),
    "Maritime Lobster Co-op": ("the lobster co-op",),
    "Hải Vân Textiles": ("Hai Van",),
    "Hoogland Office Supply": ("Hoogland",),
    "Clydeside Instruments": ("Clydeside",),
    "Yellow Brick": ("Project Yellow Brick",),
    "Blue Heron": ("Project Blue Heron",),
    "Oleksandra Bondar": ("Sasha Bondar",),
    "Maximilian Roth": ("Max Roth",),
    "Magdalena Wrona": ("Magda Wrona",),
    "Siti Nurhaliza Rahim": ("Siti Rahim",),
    "Gareth Pugh-Morris": ("Gaz Pugh-Morris",),
    "Liam O'Donoghue": ("Liam ODonoghue",),
    "Wanjiku Kamau": ("Ciku Kamau",),
    "Machine Learning": ("ML",),
    "Penetration Testing": ("pentesting", "pen testing"),
    "Kubernetes": ("k8s",),
}
