import { z } from 'zod'

export const ChannelKind = z.enum(['webhook', 'slack', 'teams', 'mail'])
export type ChannelKind = z.infer<typeof ChannelKind>

const Mail = z.email().max(254)
const Web = z.url({ protocol: /^https?$/ })

/** Why a channel of this kind can't send to an address, as a sentence; undefined if it can. */
export function whyNotAddress(kind: ChannelKind, address: string): string | undefined {
  if (kind === 'mail')
    return Mail.safeParse(address).success ? undefined : 'Enter one mail address, such as team@example.com.'
  if (!Web.safeParse(address).success) return 'Enter an address that begins with https://.'
  const { username, password } = new URL(address)
  return username === '' && password === '' ? undefined : 'The address must not contain a user or password.'
}

/** What may be shown of an address: its host, or the part of a mail address after the @. */
export const hostOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).host : (address.split('@').at(-1) ?? '')
