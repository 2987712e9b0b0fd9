import { leafText } from '#components/json/leaf-text.ts'
import type { ArgumentView } from '#lib/schemas/approvals.ts'

/** In characters and lines. */
const [mostCharacters, mostLines] = [1000, 20]

/** What is shown of a value until the reader asks for all of it: the whole text, unless it is long. */
export const beginningOf = (text: string): string => text.split('\n', mostLines).join('\n').slice(0, mostCharacters)

/** The paths of the values that are long. Approving is blocked until the reader has seen each in full. */
export function longValues(values: readonly ArgumentView[]): string[] {
  const isLong = ({ value }: ArgumentView) => {
    const text = leafText(value ?? '')
    return beginningOf(text).length < text.length
  }
  return values.filter(isLong).map(({ path }) => path)
}
