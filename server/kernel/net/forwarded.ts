import { type Address, parseAddress } from './address.ts'

/** What one proxy wrote about its caller: an address, or undefined for a caller that it hides or misspells. */
type Hop = Address | undefined

// A value without quotes may contain colons here: proxies write addresses with ports that way, against RFC 7239.
const pair = /[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)=("(?:[^"\\]|\\.)*"|[^\s",;]+)[ \t]*)?(?:([;,])|$)/y

/** The callers in a `Forwarded` header (RFC 7239), in its order. Undefined if the header is malformed. */
export function forwardedHops(header: string): Hop[] | undefined {
  const hops: Hop[] = []
  let named: string[] = []
  pair.lastIndex = 0
  while (pair.lastIndex < header.length) {
    const match = pair.exec(header)
    if (match === null) return undefined
    const [, name, value = '', separator] = match
    if (name?.toLowerCase() === 'for') named.push(value)
    if (separator === ';') continue
    const [node, ...more] = named
    hops.push(node === undefined || more.length > 0 ? undefined : parseNode(unquoted(node)))
    named = []
  }
  return hops
}

/** The callers in an `X-Forwarded-For` header, in its order. */
export const xForwardedForHops = (header: string): Hop[] => header.split(',').map((node) => parseNode(node.trim()))

const unquoted = (value: string): string =>
  value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:4711`; not `unknown` or `_hidden`. */
function parseNode(text: string): Hop {
  const [, bracketed, four] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(text) ?? []
  return parseAddress(bracketed ?? four ?? text)
}
