import * as t from '#components/texts/ladder/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import type { Ladder } from '#lib/verify/ladder.ts'
import { shortHash } from './short-hash.ts'

/** The steps of the path in words, from the leaf to the root. */
export function LadderSteps({ ladder: { leaf, rungs }, of }: { ladder: Ladder; of: 'record' | 'day' }) {
  return (
    <ol className="self-start border-line border-b">
      <Step words={t.leafOf({ of })} formula="SHA-256(0x00 ‖ leaf)" result={leaf} label={t.leafHash} />
      {rungs.map((rung, index) => (
        <Step
          key={rung.parent}
          words={t.step({ step: String(index + 1), side: rung.own === 'left' ? 'right' : 'left' })}
          formula={`SHA-256(0x01 ‖ ${shortHash(rung.left)} ‖ ${shortHash(rung.right)})`}
          result={rung.parent}
          label={t.resultOf({ step: String(index + 1) })}
        />
      ))}
    </ol>
  )
}

function Step({ words, formula, result, label }: { words: string; formula: string; result: string; label: string }) {
  return (
    <li className="border-line border-t py-1.5">
      <span className="block text-dense text-ink-2">{words}</span>
      <code className="font-mono text-dense">{formula} = </code>
      <Copyable value={result} label={label} shorten="middle" />
    </li>
  )
}
