// Without zod: the console checks an address as it is typed, and its pages load no library of schemas.

export const channelKinds = ['webhook', 'slack', 'teams', 'mail'] as const
export type ChannelKind = (typeof channelKinds)[number]

/** One address as people write it: no name, no list, no comment, no quotes. At most 254 characters (RFC 5321). */
const mail = /^(?=.{3,254}$)[^\s@"(),:;<>[\\\]]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i

const sentences = {
  not_mail: 'Enter one mail address, such as team@example.com.',
  not_https: 'Enter an address that begins with https://.',
  has_user: 'The address must not contain a user or password.',
}
export type AddressProblem = keyof typeof sentences

/** What keeps a channel of this kind from sending to an address; undefined if it can. */
export function addressProblem(kind: ChannelKind, address: string): AddressProblem | undefined {
  if (kind === 'mail') return mail.test(address) ? undefined : 'not_mail'
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'not_https'
  return url.username === '' && url.password === '' ? undefined : 'has_user'
}

/** The same as a sentence. */
export function whyNotAddress(kind: ChannelKind, address: string): string | undefined {
  const problem = addressProblem(kind, address)
  return problem && sentences[problem]
}

/** What may be shown of an address: its host, or the part of a mail address after the @. */
export const hostOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).host : (address.split('@').at(-1) ?? '')
