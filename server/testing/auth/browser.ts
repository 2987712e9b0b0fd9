/** A response in the browser below: its body is text, its redirect is not followed. */
export type Visit = { url: string; status: number; headers: Headers; text: string; location: string | undefined }

type Cookie = { name: string; value: string; path: string; host: string }

/**
 * A browser without a screen. It stores cookies by host and path as RFC 6265 requires (ports don't matter) and follows
 * redirects only in `follow`.
 */
export class Browser {
  #cookies: Cookie[] = []

  async visit(url: string, form?: Record<string, string>): Promise<Visit> {
    const cookie = this.cookies(url)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie === '' ? {} : { cookie }) },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line, url)
    const location = response.headers.get('location')
    return {
      url,
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: location === null ? undefined : new URL(location, url).href,
    }
  }

  /** Follows redirects until a response is not a redirect, or redirects to an address that begins with `stopAt`. */
  async follow(visit: Visit, stopAt?: string): Promise<Visit> {
    let current = visit
    for (let hops = 0; current.location !== undefined; hops++) {
      if (stopAt !== undefined && current.location.startsWith(stopAt)) return current
      if (hops === 10) throw new Error(`Too many redirects, the last one to ${current.location}.`)
      current = await this.visit(current.location)
    }
    return current
  }

  /** Returns the cookies that would be sent to `url`. */
  cookies(url: string): Cookie[] {
    const { hostname, pathname } = new URL(url)
    const covers = ({ path }: Cookie) =>
      pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
    return this.#cookies.filter((cookie) => cookie.host === hostname && covers(cookie))
  }

  /** Sets cookies of another origin, as an attacker with access to the browser could. */
  plant(cookies: Cookie[]): void {
    this.#cookies.push(...cookies)
  }

  #keep(line: string, url: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const name = pair.slice(0, pair.indexOf('='))
    const attribute = (wanted: string) =>
      attributes.find((text) => text.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1)
    const cookie = {
      name,
      value: pair.slice(name.length + 1),
      path: attribute('path') ?? '/',
      host: new URL(url).hostname,
    }
    this.#cookies = this.#cookies.filter(
      (known) => known.name !== name || known.path !== cookie.path || known.host !== cookie.host,
    )
    const expires = attribute('expires')
    if (expires === undefined || Date.parse(expires) > Date.now()) this.#cookies.push(cookie)
  }
}
