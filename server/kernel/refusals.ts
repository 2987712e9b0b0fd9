import { currentClient } from './net/client-address.ts'

/** Lines in a minute about the requests of one address (of IPv6: of its /64), and about those of all. */
const linesPerSource = 5
const linesPerMinute = 60
/** Longest text in a line: some of it comes from the request. */
const maxLength = 200

/** The part of the log that is needed here. */
type Lines = { info(fields: object, message: string): void }

type Minute = { lines: number; sources: Map<string, number>; unlogged: Map<string, number> }

// Owned by this module, in each process: the lines of the current minute.
let minute: Minute | undefined
let credentials = 0

/**
 * Logs one line about a request that was refused before its caller was known, without a stack. Strangers can cause any
 * number of them, so only some are logged, and the rest are counted in one line at the end of the minute.
 */
export function logRefusal(log: Lines, fields: Record<string, string | undefined>, message: string): void {
  const client = currentClient()
  const source = client?.group ?? ''
  const now = currentMinute(log)
  const linesBefore = now.sources.get(source) ?? 0
  if (now.lines >= linesPerMinute || linesBefore >= linesPerSource) {
    now.unlogged.set(message, (now.unlogged.get(message) ?? 0) + 1)
    return
  }
  now.lines += 1
  now.sources.set(source, linesBefore + 1)
  const texts = Object.entries({ ...fields, address: client?.address })
  log.info(Object.fromEntries(texts.map(([name, text]) => [name, text?.slice(0, maxLength)])), message)
}

function currentMinute(log: Lines): Minute {
  if (minute !== undefined) return minute
  const started: Minute = { lines: 0, sources: new Map(), unlogged: new Map() }
  const end = () => {
    minute = undefined
    if (started.unlogged.size > 0)
      log.info({ unlogged: Object.fromEntries(started.unlogged) }, 'further refusals were not logged')
  }
  setTimeout(end, 60_000).unref()
  minute = started
  return started
}

/** Credentials that the API has refused in this process. They name no tenant that could be believed. */
export const refusedCredentials = (): number => credentials

export function countRefusedCredential(): void {
  credentials += 1
}
