import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Recognises a browser in which someone has signed in to an account before. That gives its attempts at this account
 * shares of their own, and nothing else: a thief of the cookie gets a place in a queue.
 */
export type KnownBrowsers = {
  /** The browser's id for this account, if the request has a valid cookie. */
  idFor(cookies: string | undefined, account: string): string | undefined
  /** The Set-Cookie header after a sign-in. */
  cookieFor(cookies: string | undefined, account: string): string
}

/** Seconds; each sign-in starts it again. */
const lifetime = 30 * 86_400
/** People who share a browser; the account that signed in longest ago is dropped first. */
const maxAccounts = 5

type Entry = { account: string; id: string; expiresAt: number }

/** `keys`: the current one first. All of them verify. */
export function createKnownBrowsers(
  { slug, url }: { slug: string; url: string },
  keys: readonly Buffer[],
): KnownBrowsers {
  const secure = url.startsWith('https:')
  const name = `${secure ? '__Secure-' : ''}cs_${slug}_known`
  const attributes = `Path=/realms/${slug}/interaction; HttpOnly; SameSite=Strict; Max-Age=${lifetime}${secure ? '; Secure' : ''}`

  const signed = ({ account, id, expiresAt }: Entry) => [slug, account, id, expiresAt].join('.')
  const macOf = (entry: Entry, key: Buffer) =>
    createHmac('sha256', key)
      .update(`countersign known browser ${signed(entry)}`)
      .digest()

  function read(text: string): Entry | undefined {
    const [account = '', id = '', expiresAt = '', mac = '', ...rest] = text.split('.')
    const entry = { account, id, expiresAt: Number(expiresAt) }
    const given = Buffer.from(mac, 'base64url')
    const genuine = keys.some((key) => given.length === 32 && timingSafeEqual(macOf(entry, key), given))
    return genuine && rest.length === 0 && entry.expiresAt > Date.now() / 1000 ? entry : undefined
  }

  const entriesIn = (cookies = ''): Entry[] =>
    cookies
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .flatMap((pair) => pair.slice(name.length + 1).split('~', maxAccounts))
      .flatMap((text) => read(text) ?? [])

  return {
    idFor: (cookies, account) => entriesIn(cookies).find((entry) => entry.account === account)?.id,
    cookieFor(cookies, account) {
      const [key] = keys
      if (key === undefined) throw new Error('The realm does not have a cookie key.')
      const entries = entriesIn(cookies)
      const id = entries.find((entry) => entry.account === account)?.id ?? randomBytes(12).toString('base64url')
      const renewed = { account, id, expiresAt: Math.floor(Date.now() / 1000) + lifetime }
      const kept = [renewed, ...entries.filter((entry) => entry.account !== account)].slice(0, maxAccounts)
      const value = kept.map((entry) =>
        [entry.account, entry.id, entry.expiresAt, macOf(entry, key).toString('base64url')].join('.'),
      )
      return `${name}=${value.join('~')}; ${attributes}`
    },
  }
}
