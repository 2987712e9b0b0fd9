'use client'

import { FactValue } from '#components/approvals/fact-value.tsx'
import { formatMoney } from '#components/language/formats.ts'
import * as t from '#components/texts/approval-case/en.ts'
import { CustodySection } from '#components/ui/status/custody-line.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { Approval, Card, CardFact, Money } from '#lib/schemas/approvals.ts'
import { AmountPicture } from '../history/amount-picture.tsx'
import { useHistory } from '../history/use-history.ts'

/** The amount, next to what the run knows about the object: the manifest's card, filled in when the request was made. */
export function CardSection({ shown }: { shown: Approval }) {
  const { amount } = shown
  const { card } = shown.presentation
  const empty = card === undefined || (card.title === null && card.facts.length === 0 && card.links.length === 0)
  if (empty && amount === null) return null
  return (
    <CustodySection title={t.theCase} note={empty ? undefined : t.asAgentsManifestDescribes}>
      <div className="flex flex-col gap-x-6 gap-y-3 narrow:flex-row">
        {amount !== null && <AmountOf shown={shown} amount={amount} />}
        {!empty && (
          <div className="flex min-w-0 grow flex-col gap-2">
            <CardFacts card={card} />
          </div>
        )}
      </div>
    </CustodySection>
  )
}

function AmountOf({ shown, amount }: { shown: Approval; amount: Money }) {
  const { data } = useHistory(shown)
  return (
    <div className="flex shrink-0 flex-col gap-1 narrow:w-60">
      <p className="font-semibold text-h1 tabular-nums">{formatMoney(amount.value, amount.currency)}</p>
      {/* As high as the picture with its words, so that nothing below moves when the answer comes. */}
      <div className="min-h-30">
        {data?.usual != null && <AmountPicture amount={amount} usual={data.usual} />}
        {data?.usual === null && <p className="text-dense text-ink-2">{t.tooFewAmountsWere}</p>}
      </div>
    </div>
  )
}

function CardFacts({ card }: { card: Card }) {
  return (
    <>
      {card.title !== null && (
        <p className="font-semibold">
          <ShownText>{card.title}</ShownText>
        </p>
      )}
      {card.facts.length > 0 && (
        <KeyValues>
          {card.facts.map((fact, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: facts have a fixed order, and a label may repeat.
            <KeyValue key={index} name={<ShownText>{fact.label}</ShownText>}>
              <span className="flex flex-wrap items-baseline justify-between gap-x-4">
                <FactValue fact={fact} />
                <span className="text-dense text-ink-2">
                  <ShownText>{sourceOf(fact)}</ShownText>
                </span>
              </span>
            </KeyValue>
          ))}
        </KeyValues>
      )}
      {card.links.length > 0 && (
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {card.links.map(({ label, url, host }) => (
            <li key={`${label} ${url}`}>
              <a
                href={url}
                target="_blank"
                rel="noopener noreferrer"
                className="text-link inline-flex min-h-6 items-center"
              >
                <ShownText>{label}</ShownText>
              </a>{' '}
              <span className="text-dense text-ink-2">
                <ShownText>{host}</ShownText>
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function sourceOf({ from }: CardFact): string {
  return from.map((source) => (source === 'input' ? t.fromInput : t.fromStep({ source }))).join(', ')
}
