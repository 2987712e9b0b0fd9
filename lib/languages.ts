/** The languages that a console is built in. `en-XA` is English with accents and more length, for tests alone. */
export const languages = ['en', 'de', 'en-XA'] as const
export type Language = (typeof languages)[number]

/**
 * The languages that people read and can choose: of the console, of mails, and an organisation's default. A browser can ask
 * for them, too.
 */
export const personalLanguages = ['en', 'de'] as const satisfies readonly Language[]
export type PersonalLanguage = (typeof personalLanguages)[number]

export const isPersonal = (language: Language | undefined): language is PersonalLanguage =>
  personalLanguages.some((one) => one === language)

/** In which a page is shown if nothing else is known, and in which all texts exist first. */
export const sourceLanguage = 'en'

/** How each language is called in itself. */
export const languageNames: Record<Language, string> = { en: 'English', de: 'Deutsch', 'en-XA': 'Þšéûðö' }

/** The cookie with the language of a browser's pages. The server reads it to send each page in this language at once. */
export const LANGUAGE_COOKIE = 'countersign-language'

/** `from`: chosen before signing in, in this browser; or that of the person who signed in last, or of their organisation. */
export type KeptLanguage = { language: Language; from: 'browser' | 'account' }

const ofAccount = '.account'

/** The cookie as a page writes it; without a language it forgets the last one. It lasts a year. */
export const languageCookie = (kept: KeptLanguage | undefined, secure: boolean): string =>
  `${LANGUAGE_COOKIE}=${kept === undefined ? '' : `${kept.language}${kept.from === 'account' ? ofAccount : ''}`}; Path=/; Max-Age=${kept === undefined ? 0 : 31_536_000}; SameSite=Lax${secure ? '; Secure' : ''}`

export const isLanguage = (text: string | undefined): text is Language =>
  languages.some((language) => language === text)

/** The language in a `Cookie` header. */
export function keptLanguage(cookies: string | undefined): KeptLanguage | undefined {
  const pair = cookies?.split(/; */).find((text) => text.startsWith(`${LANGUAGE_COOKIE}=`))
  const value = pair?.slice(LANGUAGE_COOKIE.length + 1)
  const from = value?.endsWith(ofAccount) === true ? 'account' : 'browser'
  const language = from === 'account' ? value?.slice(0, -ofAccount.length) : value
  return isLanguage(language) ? { language, from } : undefined
}

/** The offered language that an `Accept-Language` header prefers (RFC 9110, section 12.5.4); of equal ones the first. */
export function preferredLanguage(
  accepted: string | undefined,
  offered: readonly Language[] = personalLanguages,
): Language | undefined {
  const ranges = (accepted ?? '').split(',').map((text) => {
    const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    return { range, quality: Number.isNaN(quality) ? 0 : quality }
  })
  const wanted = ranges.filter(({ quality }) => quality > 0).sort((one, other) => other.quality - one.quality)
  for (const { range } of wanted) {
    const found = offered.find((language) => language === range || language === range.split('-')[0])
    if (found !== undefined) return found
  }
  return undefined
}
