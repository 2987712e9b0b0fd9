import * as t from '#components/texts/access-keys/en.ts'
import { TextArea } from '#components/ui/controls/text-field.tsx'
import { maxDestinations, originOf } from '#lib/rules/secrets.ts'

/** The addresses in a text, one on each line, as the server stores them; undefined if it is empty. */
export function destinationsIn(text: string): string[] | undefined {
  const found = linesOf(text).map((line) => originOf(line) ?? line)
  return found.length === 0 ? undefined : [...new Set(found)]
}

/** Why the text can't be sent, or undefined. */
export function whyNotDestinations(text: string): string | undefined {
  const wrong = linesOf(text).find((line) => originOf(line) === undefined)
  if (wrong !== undefined) return t.notDestination({ line: wrong })
  if (linesOf(text).length > maxDestinations) return t.tooManyDestinations({ limit: maxDestinations })
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The addresses that a secret may be sent to, one on each line. */
export const DestinationsField = ({
  value,
  onChange,
  readOnly,
}: {
  value: string
  onChange: (value: string) => void
  readOnly: boolean
}) => (
  <TextArea
    label={t.destinations}
    hint={t.destinationsHint}
    value={value}
    onChange={(event) => onChange(event.target.value)}
    autoComplete="off"
    spellCheck={false}
    readOnly={readOnly}
    className="font-mono"
  />
)
