-- What the other files use. All is removed at the end.

-- A pseudorandom number from 0 up to 1 for the n-th record. The kind separates the numbers of one record.
create function bench_random(kind text, n bigint) returns float8 language sql immutable parallel safe as $$
    select (hashtextextended(kind, hashint8extended(n, :seed)) & 9007199254740991)::float8 / 9007199254740992
$$;

create function bench_pick(list text[], random float8) returns text language sql immutable parallel safe as $$
    select list[1 + floor(random * cardinality(list))::integer]
$$;

-- A moment is a fraction of all records, from 0 up to 1: here, of the creation of the n-th one, counted from 0. Every
-- fourth group of 16 is created at once.
create function bench_moment(kind text, n bigint, total bigint) returns float8 language sql immutable parallel safe as $$
    select case
        when bench_random(kind || ' burst', n / 16) < 0.25 then (n - n % 16)::float8 / total
        else (n + bench_random(kind || ' moment', n)) / total
    end
$$;

-- The time of a moment, from 8 to 18 o'clock of the 1,566 working days from 2020 to 2025. The last day has twice as
-- many records as the first.
create function bench_time(moment float8) returns timestamptz language sql immutable parallel safe as $$
    select timestamptz '2019-12-30 08:00+00'
        + make_interval(days => (day + 2) / 5 * 7 + (day + 2) % 5, secs => (days - day) * 36000)
    from (select days, floor(days)::integer as day from (select (sqrt(1 + 3 * moment) - 1) * 1566 as days) d) d
$$;

-- The moment of the last change of a record: half were never changed, and a tenth at once with many others.
create function bench_changed(kind text, n bigint, moment float8) returns float8 language sql immutable parallel safe as $$
    select case
        when random < 0.5 then moment
        when random < 0.9 then moment + bench_random(kind || ' changed', n) * (1 - moment)
        else (floor(moment * 32) + 1) / 32 - 1e-9
    end
    from (select bench_random(kind || ' change', n) as random) r
$$;

-- One to sixty days later: half in the morning, with the bank statement.
create function bench_later(kind text, n bigint, since timestamptz) returns timestamptz language sql immutable parallel safe as $$
    select date_trunc('day', since, 'UTC') + make_interval(
        days => 1 + floor(bench_random(kind || ' days', n) * 60)::integer,
        secs => case when bench_random(kind || ' morning', n) < 0.5 then 21600 else 28800 + 36000 * bench_random(kind || ' hour', n) end)
$$;

-- The key of a text to sort and search by.
create function bench_key(value text) returns text language sql immutable parallel safe as $$
    select lower(value collate "und-x-icu") collate "C"
$$;

create function bench_family(random float8) returns text language sql immutable parallel safe as $$
    select bench_pick(array[
        'Abel', 'Adler', 'Albrecht', 'Andersen', 'Arslan', 'Baker', 'Bauer', 'Becker', 'Berg', 'Bianchi', 'Böhm', 'Brandt',
        'Carter', 'Castro', 'Conti', 'Dąbrowski', 'Demir', 'Dietrich', 'Dubois', 'Ekström', 'Engel', 'Evans', 'Fischer',
        'Fontaine', 'Friedrich', 'García', 'Graf', 'Green', 'Haas', 'Hansen', 'Hoffmann', 'Horváth', 'Jansen', 'Jung',
        'Kaya', 'Keller', 'Koch', 'Kovács', 'Kowalski', 'Krüger', 'Lambert', 'Larsen', 'Lehmann', 'Lindqvist', 'Lopes',
        'Maier', 'Martin', 'Mazur', 'Meyer', 'Moreau', 'Müller', 'Nagy', 'Neumann', 'Nielsen', 'Novák', 'Olsen', 'Otto',
        'Pavlović', 'Peters', 'Popescu', 'Ricci', 'Romano', 'Roth', 'Rousseau', 'Schäfer', 'Schmidt', 'Schröder', 'Simon',
        'Sørensen', 'Stein', 'Svoboda', 'Szabó', 'Thomsen', 'Torres', 'Vogel', 'Wagner', 'Weber', 'Wójcik', 'Ziegler', 'Żak'
    ], random)
$$;

create function bench_given(random float8) returns text language sql immutable parallel safe as $$
    select bench_pick(array[
        'Aino', 'Alma', 'André', 'Anna', 'Björn', 'Carla', 'Chloé', 'Clara', 'Daniel', 'Elena', 'Elif', 'Emma', 'Erik', 'Eva',
        'Felix', 'François', 'Greta', 'Hanna', 'Hugo', 'Jana', 'Jörg', 'José', 'Julia', 'Karin', 'Lars', 'Lina', 'Łukasz',
        'Magnus', 'Maria', 'Mira', 'Niels', 'Noah', 'Olga', 'Oskar', 'Petra', 'Rosa', 'Søren', 'Tomáš', 'Vera', 'Zoë'
    ], random)
$$;

create function bench_address(kind text, n bigint) returns text language sql immutable parallel safe as $$
    select bench_pick(array[
        'Am Markt', 'Bergweg', 'Canal Street', 'Feldweg', 'High Street', 'Industriepark', 'Kirchgasse', 'Lange Reihe', 'Mill Lane',
        'Mühlenweg', 'Nørregade', 'Parkallee', 'Rue de la Gare', 'Station Road', 'Storgatan', 'Tulpenweg', 'Via Roma'
    ], bench_random(kind || ' street', n)) || ' ' || 1 + floor(bench_random(kind || ' house', n) * 180)::integer || ', '
    || bench_pick(array[
        '10115 Berlin', '20457 Hamburg', '24103 Kiel', '40213 Düsseldorf', '50667 Köln', '80331 München', '1010 Wien',
        '8001 Zürich', '1050 København', '0150 Oslo', '00-001 Warszawa', '110 00 Praha', '75001 Paris', '20121 Milano'
    ], bench_random(kind || ' city', n))
$$;

create function bench_phone(kind text, n bigint) returns text language sql immutable parallel safe as $$
    select format('+%s %s %s', 30 + floor(bench_random(kind || ' country', n) * 20), 10 + floor(bench_random(kind || ' area', n) * 990),
        100000 + floor(bench_random(kind || ' number', n) * 9900000))
$$;

create function bench_remark(random float8) returns text language sql immutable parallel safe as $$
    select bench_pick(array[
        'Pays within ten days.', 'Asks for a discount each time.', 'Deliver before noon, back entrance.',
        'Met at the fair in spring.', 'Wants invoices by post.', 'Prefers to be called in the afternoon.',
        'Liefertermin telefonisch abstimmen.', 'Large orders in autumn.', 'Needs the order number on every paper.', 'Ruft selbst zurück.'
    ], random)
$$;

-- Goods of every material, services, and a few discounts. Services are sold in measured quantities.
create table bench_products (id integer generated always as identity (minvalue 0) primary key, name text, units text, is_measured boolean, price numeric);

insert into bench_products (name, units, is_measured, price)
select name, units, is_measured, sign * round((0.5 + 900 * power(bench_random('price', row_number() over ()), 3))::numeric, 2)
from (
    select material || ' ' || thing as name, 'pcs' as units, false as is_measured, 1 as sign
    from unnest(array['Ash', 'Beech', 'Birch', 'Brass', 'Cherry', 'Copper', 'Eiche', 'Glass', 'Larch', 'Linen', 'Oak', 'Steel', 'Walnut', 'Zinc']) material,
        unnest(array['bench', 'cabinet', 'chair', 'counter', 'desk', 'door', 'drawer', 'frame', 'hinge', 'lamp', 'panel', 'rail', 'Schrank', 'shelf', 'table', 'Tür']) thing
    union all
    select service, units, true, 1
    from unnest(array['Assembly', 'Cleaning', 'Consulting', 'Delivery', 'Montage', 'Planning', 'Repair', 'Storage']) service,
        unnest(array['h', 'day', 'm²', null]) units
    union all
    select discount, null, false, -1
    from unnest(array['Discount', 'Rabatt', 'Refund of deposit', 'Skonto', 'Voucher', 'Credit for returns']) discount
) products;
