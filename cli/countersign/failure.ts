import { getSystemErrorMap } from 'node:util'

/**
 * How the program ends. `refused`: the server answered 4xx. `unreachable`: also for an answer that is not of Countersign. `different`:
 * compared and not equal, or not verified.
 */
export const exitCodes = { done: 0, refused: 1, usage: 2, signedOut: 3, unreachable: 4, different: 5 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** An expected end with a message for the person. Everything else is a defect, and shows its stack. */
export class Failed extends Error {
  readonly exit: ExitCode
  /** The error as the server wrote it, for `--output json`. */
  readonly details: Record<string, unknown>

  constructor(exit: keyof typeof exitCodes, message: string, details: Record<string, unknown> = {}) {
    super(message)
    this.exit = exitCodes[exit]
    this.details = details
  }
}

/** Why the system refused, such as “permission denied”: its own error also names the call of the program. */
export function systemReason(error: unknown): string {
  const known = error instanceof Error && 'errno' in error ? getSystemErrorMap().get(Number(error.errno)) : undefined
  return known?.[1] ?? (error instanceof Error ? error.message : String(error))
}

/** Nothing was sent, because the arguments are not valid. */
export const usageError = (message: string): Failed => new Failed('usage', message, { code: 'usage' })
