/** Markup that may be sent as it is. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | undefined | false

/** Markup with each value escaped for text and quoted attributes; Html goes in as it is, undefined and false as nothing. */
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
