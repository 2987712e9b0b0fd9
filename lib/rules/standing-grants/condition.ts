import { isJsonObject, type JsonValue } from '#lib/json.ts'

/** What calls may have in an argument, in place of one value. */
export type Condition =
  | { is: 'any' }
  | { is: 'like'; pattern: string }
  /** An amount in words, with its currency. */
  | { is: 'at most'; amount: string }

/**
 * A condition as the value of a row among the arguments that a reviewer reads. No argument can have it: one that is an object has a row for
 * each of its members.
 */
export const conditionValue = ({ is, ...rest }: Condition): JsonValue => ({ $condition: is, ...rest })

export function conditionIn(value: JsonValue): Condition | undefined {
  if (!isJsonObject(value)) return undefined
  const { $condition: is, pattern, amount } = value
  if (is === 'any') return { is }
  if (is === 'like' && typeof pattern === 'string') return { is, pattern }
  return is === 'at most' && typeof amount === 'string' ? { is, amount } : undefined
}
