import { FactValue } from '#components/approvals/fact-value.tsx'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Card, CardFact } from '#lib/schemas/approvals.ts'

/** What the run knows about the object: the manifest's card, filled in when the request was made. */
export function CardSection({ card }: { card: Card | undefined }) {
  if (card === undefined || (card.title === null && card.facts.length === 0 && card.links.length === 0)) return null
  return (
    <CustodySection title="The case" note="as the agent’s manifest describes it, when the request was made">
      {card.title !== null && (
        <p className="font-semibold">
          <ShownText>{card.title}</ShownText>
        </p>
      )}
      {card.facts.length > 0 && (
        <KeyValues>
          {card.facts.map((fact, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: facts have a fixed order, and a label may repeat.
            <KeyValue key={index} name={fact.label}>
              <span className="flex flex-wrap items-baseline justify-between gap-x-4">
                <FactValue fact={fact} />
                <span className="text-dense text-ink-2">{sourceOf(fact)}</span>
              </span>
            </KeyValue>
          ))}
        </KeyValues>
      )}
      {card.links.length > 0 && (
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {card.links.map(({ label, url, host }) => (
            <li key={`${label} ${url}`}>
              <a href={url} target="_blank" rel="noopener noreferrer" className="text-link">
                <ShownText>{label}</ShownText>
              </a>{' '}
              <span className="text-dense text-ink-2">{host}</span>
            </li>
          ))}
        </ul>
      )}
    </CustodySection>
  )
}

function sourceOf({ from }: CardFact): string {
  return from.map((source) => (source === 'input' ? 'from the input' : `from step ${source}`)).join(', ')
}
