import { isJsonObject, type JsonValue } from '#lib/json.ts'
import { whyPortBlocked } from '#lib/text/blocked-port.ts'

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

/** The addresses of a manifest that are called, with a port that never is: paths from `spec`. */
export function portFlaws(spec: JsonValue | undefined): AddressFlaw[] {
  if (!isJsonObject(spec)) return []
  const entries = (value: JsonValue | undefined): [string | number, JsonValue][] =>
    Array.isArray(value) ? [...value.entries()] : isJsonObject(value) ? Object.entries(value) : []
  const called = [
    ...entries(spec.tools).map(([index, tool]) => ({
      at: isJsonObject(tool) ? tool.mcp : undefined,
      path: ['tools', index, 'mcp'],
    })),
    ...entries(spec.models).map(([index, model]) => ({ at: model, path: ['models', index] })),
    ...entries(spec.runtime).map(([kind, peer]) => ({ at: peer, path: ['runtime', kind] })),
  ]
  return called.flatMap(({ at, path }) =>
    ['url', 'endpoint', 'card'].flatMap((name) => {
      const address = isJsonObject(at) ? at[name] : undefined
      const message = typeof address === 'string' ? whyPortBlocked(address) : undefined
      return message === undefined ? [] : [{ path: [...path, name], message }]
    }),
  )
}
