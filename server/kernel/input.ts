import type { z } from 'zod'
import { ApiError, type Issue } from '#lib/errors.ts'
import { issueMessage } from '#lib/schemas/messages.ts'

/** More than any operation needs; deeper values could overflow the stack of recursive code. */
const maxDepth = 100

/**
 * The input of an operation. Throws 400 for a value that can't be stored exactly, and `validation_failed` with all
 * issues.
 */
export function readInput<I>(schema: z.ZodType<I>, raw: unknown): I {
  requireExact(raw)
  const result = schema.safeParse(raw ?? {}, { error: issueMessage })
  if (result.success) return result.data
  const issues: Issue[] = result.error.issues.map(({ path, message }) => ({
    path: path.map(String).join('.'),
    message,
  }))
  const message = issues
    .map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`))
    .join('; ')
  throw new ApiError('validation_failed', message, { issues })
}

/**
 * Throws `bad_request` for a value that can't be stored unchanged and bound to a digest: PostgreSQL supports neither
 * U+0000 nor lone surrogates, and JSON.parse has already rounded whole numbers beyond 2^53 - 1 (JCS refuses them, see
 * lib/jcs.ts).
 */
export function requireExact(value: unknown, depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\u0000')) throw refused('the character U+0000')
    if (!value.isWellFormed()) throw refused('half of a surrogate pair, which is not a character')
  } else if (typeof value === 'number') {
    if (Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21)
      throw refused('a whole number beyond 2^53 - 1, which JSON can’t represent exactly (send it as a string)')
  } else if (typeof value === 'object' && value !== null) {
    if (depth === maxDepth) throw refused(`more than ${maxDepth} levels of nesting`)
    for (const [key, inner] of Object.entries(value)) {
      requireExact(key)
      requireExact(inner, depth + 1)
    }
  }
}

const refused = (what: string) => new ApiError('bad_request', `The input contains ${what}.`)
