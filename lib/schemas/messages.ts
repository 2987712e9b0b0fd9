import type { z } from 'zod'
import { formatCount } from '#lib/format.ts'

const types: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
}

const formats: Record<string, string> = {
  base64: 'Must be base64.',
  date: 'Must be a date such as 2026-01-31.',
  datetime: 'Must be a UTC time such as 2026-01-31T12:00:00Z.',
  email: 'Must be an e-mail address.',
  lowercase: 'Use lower case.',
  url: 'Must be a URL.',
  uuid: 'Must be an id in lower case, such as 019a0000-0000-7000-8000-000000000000.',
}

/** The message about a value that is missing. */
export const required = 'Required.'

/** The message of an issue for which a schema does not give its own, in the voice of docs/voice.md. */
export const issueMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? required : `Must be ${types[issue.expected] ?? 'of another type'}.`
    case 'too_small':
      return issue.input === '' ? required : limit('at least', issue.origin, issue.minimum)
    case 'too_big':
      return limit('at most', issue.origin, issue.maximum)
    case 'invalid_format':
      return formats[issue.format] ?? 'Not in the expected format.'
    case 'invalid_value':
      return `Must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}.`
    case 'unrecognized_keys':
      return `Unknown: ${someOf(issue.keys)}. Remove what this operation does not support.`
    default:
      return undefined
  }
}

function limit(bound: 'at least' | 'at most', origin: string, value: number | bigint): string {
  const count = Number(value)
  if (origin === 'string') return `Use ${bound} ${formatCount(count, 'character')}.`
  if (origin === 'array' || origin === 'set') return `Give ${bound} ${formatCount(count, 'item')}.`
  return `Must be ${bound} ${count}.`
}

/** The first of these names; a caller can send thousands. */
export const someOf = (names: readonly string[]): string =>
  `${names.slice(0, 10).join(', ')}${names.length > 10 ? ` and ${names.length - 10} more` : ''}`
