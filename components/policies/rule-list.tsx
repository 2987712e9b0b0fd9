import type { ReactNode } from 'react'
import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/policies/en.ts'
import { Tag } from '#components/ui/status/tag.tsx'
import type { Tone } from '#components/ui/status/tone.ts'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import type { RuleView } from '#lib/schemas/policies/rules.ts'
import { ruleEffectText, ruleKind } from './rule-text.ts'

/** Rules in the order of their text: each in words, with its source next to it. `more` is what else is known about a rule. */
export function RuleList<Rule extends RuleView>({ rules, more }: { rules: Rule[]; more?: (rule: Rule) => ReactNode }) {
  return (
    <ol className="border-line border-b">
      {rules.map((rule) => (
        <li
          key={`${rule.line} ${rule.rule}`}
          className="grid grid-cols-1 gap-x-8 gap-y-2 border-line border-t py-3 wide:grid-cols-2"
        >
          <RuleWords rule={rule}>{more?.(rule)}</RuleWords>
          <RuleSource rule={rule} />
        </li>
      ))}
    </ol>
  )
}

/** The rules of a text that is shown elsewhere on the page. */
export const RuleWordsList = ({ rules }: { rules: RuleView[] }) => (
  <ol className="border-line border-b">
    {rules.map((rule) => (
      <li key={`${rule.line} ${rule.rule}`} className="border-line border-t py-2">
        <RuleWords rule={rule} />
      </li>
    ))}
  </ol>
)

function RuleWords({ rule, children }: { rule: RuleView; children?: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col items-start gap-1.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Tag tone={toneOf(rule)}>{ruleKind(rule)}</Tag>
        <h3 className="wrap-anywhere font-semibold">
          <ShownText>{rule.title ?? rule.message ?? rule.rule}</ShownText>
        </h3>
      </div>
      <p className="wrap-anywhere max-w-[65ch]">
        {rule.words === null ? (
          t.whenItAppliesCant
        ) : (
          // A sentence of the server, in English.
          <span lang="en">
            <ShownText>{rule.words}</ShownText>
          </span>
        )}{' '}
        <ShownText>{ruleEffectText(rule)}</ShownText>
      </p>
      {children}
    </div>
  )
}

const toneOf = ({ effect, obligation }: RuleView): Tone =>
  effect === 'permit' ? 'ok' : obligation === null ? 'danger' : 'neutral'

function RuleSource({ rule: { rule, line, text } }: { rule: RuleView }) {
  return (
    <div className="min-w-0">
      <p className="text-dense text-ink-2">{t.fromLine({ rule, shown: shownText, line })}</p>
      <pre className="wrap-anywhere whitespace-pre-wrap border border-line bg-sunken px-3 py-2 font-mono text-dense">
        <code>
          <ShownText>{text}</ShownText>
        </code>
      </pre>
    </div>
  )
}
