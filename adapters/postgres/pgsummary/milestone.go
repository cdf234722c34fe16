package pgsummary

import "strconv"

// A piece of a list has this many records when it is made, and is split when it
// has more than twice as many.
const piece = 4096

var (
	pieceText  = strconv.Itoa(piece)
	tooBigText = strconv.Itoa(2 * piece)
)

// noTime is where all places lie in a list that is in the order of ids alone.
const noTime = "'-infinity'::timestamptz"

// birth is when the record r was created.
func (l list) birth() string {
	if l.created == "" {
		return noTime
	}
	return "r." + l.created
}

// order is the columns of r that the list is in the order of.
func (l list) order() string {
	if l.created == "" {
		return "r.id"
	}
	return "r." + l.created + ", r.id"
}

// within tells whether r lies in the piece p.
func (l list) within() string {
	if l.created == "" {
		return "r.id >= p.id and r.id < p.next_id"
	}
	return "(" + l.order() + ") >= (p.created, p.id) and (" + l.order() + ") < (p.next_created, p.next_id)"
}

// byPiece adds images up by the pieces that they fall into. What a record was
// and is mostly lies at one place, and is looked up only where it does not come
// to nothing.
func (l list) byPiece(from source) string {
	return `
select p.created, p.id, sum(i.n) as n
from (
    select created, id, sum(n) as n
    from (` + from(l) + `
    ) a
    group by created, id
    having sum(n) <> 0
) i
cross join lateral (
    select m.created, m.id
    from milestones m
    where m.list = '` + l.name + `' and (m.created, m.id) <= (i.created, i.id)
    order by m.created desc, m.id desc
    limit 1
) p
group by p.created, p.id`
}

// addMilestones adds images to the pieces that they fall into.
func (l list) addMilestones(from source) string {
	return `
with noted as (` + l.byPiece(from) + `
)
update milestones m
set n = m.n + noted.n
from noted
where m.list = '` + l.name + `' and m.created = noted.created and m.id = noted.id and noted.n <> 0`
}

// setMilestones cuts the list anew, as it is, where there are no milestones.
func (l list) setMilestones() string {
	return `
insert into milestones (list, created, id, n)
select '` + l.name + `', created, id, coalesce(lead(place) over (order by place), 1 + (select count(*) from ` + l.name + `)) - place
from (
    select ` + noTime + ` as created, 0::bigint as id, 1::bigint as place
    union all
    select created, id, place
    from (
        select ` + l.birth() + ` as created, r.id, row_number() over (order by ` + l.order() + `) as place
        from ` + l.name + ` r
    ) a
    where place > 1 and place % ` + pieceText + ` = 1
) p`
}

// pieces are the list's milestones, each with the place of the next.
func (l list) pieces() string {
	return `
select
    created, id, n,
    coalesce(lead(created) over (order by created, id), 'infinity') as next_created,
    coalesce(lead(id) over (order by created, id), 9223372036854775807) as next_id
from milestones
where list = '` + l.name + `'`
}

// split cuts each piece that is too big behind its first records. The place and
// what was noted before it from the batch $1 on are looked up in one snapshot, so
// that both parts stay exact.
func (l list) split() string {
	return `
with p as materialized (` + l.pieces() + `
), cut as materialized (
    select
        p.created, p.id, p.n, k.created as at_created, k.id as at_id,
        ` + pieceText + ` - (
            select coalesce(sum(i.n), 0)
            from (` + open(l) + `
            ) i
            where (i.created, i.id) >= (p.created, p.id) and (i.created, i.id) < (k.created, k.id)
        ) as stay
    from p
    cross join lateral (
        select ` + l.birth() + ` as created, r.id
        from ` + l.name + ` r
        where ` + l.within() + `
        order by ` + l.order() + `
        offset ` + pieceText + `
        limit 1
    ) k
    where p.n > ` + tooBigText + `
), shortened as (
    update milestones m
    set n = cut.stay
    from cut
    where m.list = '` + l.name + `' and m.created = cut.created and m.id = cut.id
)
insert into milestones (list, created, id, n)
select '` + l.name + `', at_created, at_id, n - stay
from cut`
}

// milestoneDifferences are the pieces that say, with what was noted from the
// batch $1 on, something else than the records, and a first place that is missing.
func (l list) milestoneDifferences() string {
	return `
with p as materialized (` + l.pieces() + `
), noted as (` + l.byPiece(open) + `
), said as (
    select
        p.created, p.id, p.n + coalesce(noted.n, 0) as n,
        (
            select count(*)
            from ` + l.name + ` r
            where ` + l.within() + `
        ) as counted
    from p
    left join noted on noted.created = p.created and noted.id = p.id
)
select concat('` + l.name + ` from ', created, ', id ', id) as key, concat('n ', n) as says, concat('n ', counted) as "is"
from said
where n <> counted
union all
select '` + l.name + ` from the start', 'nothing', 'a place'
where not exists (select from p where created = '-infinity' and id = 0)`
}
