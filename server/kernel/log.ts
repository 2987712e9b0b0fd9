import { type Logger, pino } from 'pino'

export type Log = Logger

/** JSON lines on stderr, so that stdout stays for people. Secrets never reach it: callers log ids, codes and counts. */
export function createLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2))
}
