/**
 * A place in a tenant's audit log: how many records of `date` a reader has seen, and of the day before. A transaction that
 * began before midnight may append to the old day after the new one has begun, so both are counted.
 */
export type Position = { date: string; seen: number; before: number }

/** Of a reader that has seen nothing: `from` is the first day that it reads, undefined: the first day of the log. */
export const startingPosition = (from: string | undefined): Position =>
  from === undefined ? { date: '1970-01-01', seen: 0, before: 0 } : { date: from, seen: 0, before: wholeDay }

/** More than a day can have. */
const wholeDay = 2 ** 31 - 1

export const writtenPosition = ({ date, seen, before }: Position): string => `${date}.${seen}.${before}`

/** Reads what `writtenPosition` wrote; the schema of the input has checked its form. */
export function readPosition(text: string): Position {
  const [date = '', seen, before] = text.split('.')
  return { date, seen: Number(seen), before: Number(before) }
}

export function dayBefore(date: string): string {
  const day = new Date(`${date}T00:00:00.000Z`)
  day.setUTCDate(day.getUTCDate() - 1)
  return day.toISOString().slice(0, 10)
}

/** The position after one more record. Records come in the order of their days. */
export function after(position: Position, record: { date: string; seq: number }): Position {
  if (record.date === position.date) return { ...position, seen: record.seq + 1 }
  if (record.date < position.date) return { ...position, before: record.seq + 1 }
  const before = dayBefore(record.date) === position.date ? position.seen : 0
  return { date: record.date, seen: record.seq + 1, before }
}

export const isAhead = (position: Position, head: Position): boolean =>
  position.date > head.date || (position.date === head.date && position.seen > head.seen)
