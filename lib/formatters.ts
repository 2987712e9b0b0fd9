// Making a formatter of Intl takes far longer than using it (0.1 to 30 ms on a phone), so each is made once.

/** Currencies and time zones come from outside, so the number that is kept has a limit. */
const MOST = 100

const kept = <Options extends object, Formatter>(make: (locale: string, options: Options | undefined) => Formatter) => {
  const formatters = new Map<string, Formatter>()
  return (locale: string, options?: Options): Formatter => {
    const key = `${locale} ${JSON.stringify(options)}`
    const known = formatters.get(key)
    if (known !== undefined) return known
    const made = make(locale, options)
    if (formatters.size >= MOST) formatters.clear()
    formatters.set(key, made)
    return made
  }
}

/** The formatter of a locale (a BCP 47 tag) and options. Each throws a RangeError for a locale or option that Intl doesn't know. */
export const numberFormat = kept(
  (locale, options: Intl.NumberFormatOptions | undefined) => new Intl.NumberFormat(locale, options),
)
export const dateFormat = kept(
  (locale, options: Intl.DateTimeFormatOptions | undefined) => new Intl.DateTimeFormat(locale, options),
)
export const listFormat = kept(
  (locale, options: Intl.ListFormatOptions | undefined) => new Intl.ListFormat(locale, options),
)
export const pluralRules = kept(
  (locale, options: Intl.PluralRulesOptions | undefined) => new Intl.PluralRules(locale, options),
)
