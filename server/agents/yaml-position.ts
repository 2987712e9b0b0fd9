import { EVENT_ID, type Event, getScalarValue, parseEvents } from 'js-yaml'

/** A position in a text, from 1. */
export type Position = { line: number; column: number }

/**
 * Parses a valid YAML text once, and returns a function for the position of the value at a path, or of its closest existing
 * parent.
 */
export function positionsIn(text: string): (path: readonly (string | number)[]) => Position {
  const events = parseEvents(text, {})
  return (path) => {
    const walk = walker(text, events)
    walk.next()
    const offset = walk.find(path)
    const before = text.slice(0, offset)
    return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
  }
}

function walker(text: string, events: readonly Event[]) {
  let at = 0
  const next = () => events[at++]
  const startOf = (event: Event | undefined): number => {
    if (event?.type === EVENT_ID.SCALAR) return event.valueStart
    if (event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE) return event.start
    return event?.type === EVENT_ID.ALIAS ? event.anchorStart : 0
  }
  /** Skips one value, including nested ones. */
  const skip = (): void => {
    const event = next()
    if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) return
    while (events[at]?.type !== EVENT_ID.POP && at < events.length) skip()
    next()
  }
  const find = (path: readonly (string | number)[]): number => {
    const event = next()
    const start = startOf(event)
    const [key, ...rest] = path
    if (key === undefined) return start
    if (event?.type === EVENT_ID.MAPPING)
      while (events[at]?.type !== EVENT_ID.POP && at < events.length) {
        const name = events[at]
        const matches = name?.type === EVENT_ID.SCALAR && getScalarValue(text, name) === String(key)
        skip()
        if (matches) return find(rest)
        skip()
      }
    else if (event?.type === EVENT_ID.SEQUENCE)
      for (let index = 0; events[at]?.type !== EVENT_ID.POP && at < events.length; index++) {
        if (index === key) return find(rest)
        skip()
      }
    return start
  }
  return { next, find }
}
