import type { JsonValue } from '#lib/json.ts'

type Path = (string | number)[]
export type AddressFlaw = { path: Path; message: string }

const withUser = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]*@/i
const withPassword = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s@]*:[^/?#\s]*@/i
const http = /^https?:\/\//i

/** Why an address can't be stored or called; undefined for any other text. */
function flawOf(text: string): string | undefined {
  // A user name alone is part of some addresses that are not called, such as those of repositories.
  if (withPassword.test(text) || (http.test(text) && withUser.test(text)))
    return 'An address can’t contain a user or password, because everyone who reads the agent would see it. Use auth.secretRef.'
  if (/^https?:\/\/\[[^\]]*%/i.test(text))
    return 'The zone of an IPv6 address (after %) has a meaning on one machine only. Leave it out.'
  return undefined
}

/** Addresses in a manifest, wherever they are, that contain credentials or a zone. */
export function addressFlaws(value: JsonValue, path: Path = []): AddressFlaw[] {
  if (typeof value === 'string') {
    const message = flawOf(value)
    return message === undefined ? [] : [{ path, message }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Array.isArray(value)
    ? value.flatMap((inner, index) => addressFlaws(inner, [...path, index]))
    : Object.entries(value).flatMap(([key, inner]) => addressFlaws(inner, [...path, key]))
}
