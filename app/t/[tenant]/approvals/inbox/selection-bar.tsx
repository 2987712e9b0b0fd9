'use client'

import { useSingleKeys } from '#components/keyboard/single-keys.ts'
import type { Selection } from '#components/lists/use-selection.ts'
import * as t from '#components/texts/approvals/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { type BulkDecision, whyNotTogether } from './bulk.ts'
import type { Request } from './filter.ts'
import { sumOf } from './groups.ts'

type SelectionBarProps = { selection: Selection<Request>; onDecide: (decision: BulkDecision) => void }

/** At the foot of the list: what is selected, and what can be done with it; without a selection, the keys. */
export function SelectionBar({ selection, onDecide }: SelectionBarProps) {
  const [keys] = useSingleKeys()
  const { rows: requests } = selection
  if (requests.length === 0) return keys === 'on' ? <Keys /> : null
  const sum = sumOf(requests)
  const action = (decision: BulkDecision, key: string) => (
    <Button onClick={() => onDecide(decision)} disabledReason={whyNotTogether(decision, requests)}>
      {t.decideSome({ decision, count: String(requests.length) })}
      {keys === 'on' && <Key>{key}</Key>}
    </Button>
  )
  return (
    <section
      aria-label={t.selectedRequests}
      className="sticky bottom-0 z-10 flex flex-wrap items-start justify-between gap-3 border-line-strong border-t-2 bg-surface py-3"
    >
      <p role="status" className="py-1.5">
        <span className="font-semibold">{t.requestsSelected({ requests: requests.length })}</span>
        {sum !== '' && <span className="text-ink-2">{t.together({ sum })}</span>}
      </p>
      <div className="flex flex-wrap items-start gap-2">
        <Button variant="quiet" onClick={selection.clear}>
          {t.clear}
          {keys === 'on' && <Key>{t.keyEscape}</Key>}
        </Button>
        {action('reject', 'R')}
        {action('approve', 'A')}
      </div>
    </section>
  )
}

/** A phone does not have keys. */
const Key = ({ children }: { children: string }) => (
  <span aria-hidden="true" className="hidden narrow:inline-flex">
    <Kbd>{children}</Kbd>
  </span>
)

const KEYS: [keys: string[], does: string][] = [
  [['J', 'K'], t.keyMove],
  [[t.keyEnter], t.keyOpen],
  [['X'], t.keySelect],
  [[t.keyShift, 'X'], t.selectUpToHere],
  [['/'], t.keySearch],
]

const Keys = () => (
  <ul aria-label={t.keys} className="hidden flex-wrap gap-x-5 gap-y-1 text-dense text-ink-2 narrow:flex">
    {KEYS.map(([keys, does]) => (
      <li key={does} className="flex items-center gap-1.5">
        {keys.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
        {does}
      </li>
    ))}
  </ul>
)
