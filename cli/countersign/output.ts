import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { visible } from '#lib/verify/programs/visible.ts'
import { Failed, usageError } from './failure.ts'
import { cell, table } from './table.ts'

export const formats = ['table', 'json', 'ndjson'] as const
export type Format = (typeof formats)[number]

/** The streams of a process, or of a test. */
export type Output = {
  out(text: string): void
  error(text: string): void
  format: Format
  /** JSON only on request, because a person often reads them while a program reads the output. */
  errors: 'text' | 'json'
  isTerminal: boolean
  /** Columns of the terminal. */
  width?: number | undefined
  /** Whether a person sees the standard error, and wants to know what the output lacks. */
  hints?: boolean
}

export function formatOf(given: string | undefined, isTerminal: boolean): Format {
  if (given === undefined) return isTerminal ? 'table' : 'json'
  const format = formats.find((one) => one === given)
  if (format !== undefined) return format
  throw usageError(`--output: ${JSON.stringify(given)}. Must be one of ${formats.join(', ')}.`)
}

/** JSON.stringify escapes the first 32 characters; layout is its only line feed. */
const visibleJson = (text: string) =>
  text.replace(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, visible)

/** Writes a result. A page of a list is its items, with the cursor of the next page on stderr. */
export function print({ out, error, format, width, hints }: Output, value: JsonValue): void {
  if (format === 'json') {
    out(`${visibleJson(JSON.stringify(value, null, 2))}\n`)
    return
  }
  const page = isJsonObject(value) && Array.isArray(value.items) ? value : undefined
  const items = page === undefined ? (Array.isArray(value) ? value : undefined) : page.items
  if (format === 'ndjson')
    for (const item of Array.isArray(items) ? items : [value]) out(`${visibleJson(JSON.stringify(item))}\n`)
  else if (Array.isArray(items)) {
    const { text, omitted } = table(items, width)
    out(text)
    if (hints === true && omitted.length > 0)
      error(`${count(omitted.length, 'column')} left out; --output json shows everything.\n`)
  } else out(lines(value))
  if (typeof page?.nextCursor === 'string') error(`More: --cursor ${page.nextCursor}\n`)
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`

/** One event of a stream, at once. */
export function printEvent({ out, format }: Output, event: JsonValue): void {
  out(format === 'table' ? `${eventLine(event)}\n` : `${visibleJson(JSON.stringify(event))}\n`)
}

function eventLine(event: JsonValue): string {
  if (!isJsonObject(event)) return cell(event)
  const inner = Object.values(event).find(isJsonObject) ?? {}
  const facts = { ...event, ...inner }
  const shown = ['type', 'name', 'title', 'status', 'traceId', 'spanId', 'approvalId', 'topic', 'id']
  return shown
    .flatMap((name) => (facts[name] === undefined || isJsonObject(facts[name]) ? [] : [cell(facts[name])]))
    .join('  ')
}

/** An object as a field a line; nested values as JSON. */
function lines(value: JsonValue): string {
  if (!isJsonObject(value)) return value === null ? '' : `${cell(value)}\n`
  const width = Math.max(0, ...Object.keys(value).map((name) => name.length))
  return Object.entries(value)
    .map(([name, one]) => `${name.padEnd(width)}  ${cell(one)}\n`)
    .join('')
}

/** Reports a failure on stderr, and returns the exit code. */
export function report({ error, errors }: Output, failure: unknown): number {
  if (!(failure instanceof Failed)) {
    error(`${failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)}\n`)
    return 70
  }
  const { message, details } = failure
  if (errors === 'json') error(`${visibleJson(JSON.stringify({ error: message, ...details }))}\n`)
  else {
    const facts = [details.code, details.requestId && `request ${details.requestId}`].filter(Boolean).join(', ')
    error(
      `${message.split('\n').map(visible).join('\n')}${facts === '' || details.code === 'usage' ? '' : ` (${facts})`}\n`,
    )
  }
  return failure.exit
}
