/** Markup that needs no escaping. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | undefined | false

/**
 * Markup in which each value is escaped for text and quoted attributes. Html values are inserted unchanged; undefined
 * and false render nothing.
 */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(String.raw({ raw: parts }, ...values.map(render)))

const render = (value: Value): string => {
  if (value === undefined || value === false) return ''
  return value instanceof Html ? value.text : escapeText(String(value))
}

const escapeText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
