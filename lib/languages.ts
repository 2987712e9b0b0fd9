/** The languages that a console is built in. `en-XA` is English with accents and more length, for tests alone. */
export const languages = ['en', 'de', 'en-XA'] as const
export type Language = (typeof languages)[number]

/** The languages that people read: of the console, of mails, and an organisation's default. */
export const personalLanguages = ['en', 'de'] as const satisfies readonly Language[]
export type PersonalLanguage = (typeof personalLanguages)[number]

/** In which a page is shown if nothing else is known, and in which all texts exist first. */
export const sourceLanguage = 'en'

/**
 * The languages that people can choose and that their browser can ask for. German joins as soon as every page has it
 * (components/texts/literal-texts.test.ts); until then only the cookie shows it.
 */
export const offeredLanguages: readonly Language[] = ['en']

/** How each language is called in itself. */
export const languageNames: Record<Language, string> = { en: 'English', de: 'Deutsch', 'en-XA': 'Þšéûðö' }

/** The cookie with a person's own choice in this browser. The server reads it to send the page in this language at once. */
export const LANGUAGE_COOKIE = 'countersign-language'

/** The cookie as a page writes it; without a language it forgets the choice. It lasts a year. */
export const languageCookie = (language: Language | undefined, secure: boolean): string =>
  `${LANGUAGE_COOKIE}=${language ?? ''}; Path=/; Max-Age=${language === undefined ? 0 : 31_536_000}; SameSite=Lax${secure ? '; Secure' : ''}`

export const isLanguage = (text: string | undefined): text is Language =>
  languages.some((language) => language === text)

/** The choice in a `Cookie` header. */
export function chosenLanguage(cookies: string | undefined): Language | undefined {
  const pair = cookies?.split(/; */).find((text) => text.startsWith(`${LANGUAGE_COOKIE}=`))
  const value = pair?.slice(LANGUAGE_COOKIE.length + 1)
  return isLanguage(value) ? value : undefined
}

/** The offered language that an `Accept-Language` header prefers (RFC 9110, section 12.5.4); of equal ones the first. */
export function preferredLanguage(
  accepted: string | undefined,
  offered: readonly Language[] = offeredLanguages,
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
