import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { visible } from '#lib/verify/programs/visible.ts'
import { Failed, usageError } from './failure.ts'

export type Format = 'table' | 'json' | 'ndjson'

/** The streams of a process, or of a test. */
export type Output = {
  out(text: string): void
  error(text: string): void
  format: Format
  /** JSON only on request, because a person often reads them while a program reads the output. */
  errors: 'text' | 'json'
  isTerminal: boolean
}

export function formatOf(given: string | undefined, isTerminal: boolean): Format {
  if (given === undefined) return isTerminal ? 'table' : 'json'
  if (given === 'table' || given === 'json' || given === 'ndjson') return given
  throw usageError(`--output: ${JSON.stringify(given)}. Must be one of table, json, ndjson.`)
}

/** JSON.stringify escapes the first 32 characters; layout is its only line feed. */
const visibleJson = (text: string) =>
  text.replace(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, visible)

/** Writes a result. A page of a list is its items, with the cursor of the next page on stderr. */
export function print({ out, error, format }: Output, value: JsonValue): void {
  if (format === 'json') {
    out(`${visibleJson(JSON.stringify(value, null, 2))}\n`)
    return
  }
  const page = isJsonObject(value) && Array.isArray(value.items) ? value : undefined
  const items = page === undefined ? (Array.isArray(value) ? value : undefined) : page.items
  if (format === 'ndjson')
    for (const item of Array.isArray(items) ? items : [value]) out(`${visibleJson(JSON.stringify(item))}\n`)
  else out(Array.isArray(items) ? table(items) : lines(value))
  if (typeof page?.nextCursor === 'string') error(`More: --cursor ${page.nextCursor}\n`)
}

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

const cell = (value: JsonValue | undefined): string =>
  value === undefined || value === null ? '' : visible(typeof value === 'string' ? value : JSON.stringify(value))

const widest = 48
const mostColumns = 6
const cut = (text: string) => (text.length > widest ? `${text.slice(0, widest - 1)}…` : text)

/** A table of the fields that are not objects, in the order of the rows. Without rows, one line that says so. */
export function table(rows: readonly JsonValue[]): string {
  if (rows.length === 0) return 'No entries.\n'
  const objects = rows.map((row) => (isJsonObject(row) ? row : { value: row }))
  const plain = (name: string) => objects.every((row) => typeof row[name] !== 'object' || row[name] === null)
  const names = [...new Set(objects.flatMap((row) => Object.keys(row)))].filter(plain).slice(0, mostColumns)
  const body = objects.map((row) => names.map((name) => cut(cell(row[name]))))
  const widths = names.map((name, index) => Math.max(name.length, ...body.map((row) => (row[index] ?? '').length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return `${[names, ...body].map(line).join('\n')}\n`
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
