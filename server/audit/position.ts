/**
 * A place in a tenant's audit log: how many records of `date` a reader has seen, and of the day before. A transaction that
 * began before midnight may append to the old day after the new one has begun, so both are counted.
 */
export type Position = { date: string; seen: number; before: number }

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
