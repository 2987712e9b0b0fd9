import { Copyable } from '#components/ui/copyable.tsx'
import type { Ladder } from './ladder.ts'

/** The same climb in words, from the leaf to the root. */
export function LadderSteps({ ladder: { leaf, rungs } }: { ladder: Ladder }) {
  return (
    <ol className="self-start border-line border-b">
      <li className="border-line border-t py-1.5">
        The record’s leaf: SHA-256(0x00 ‖ leaf) = <Hash value={leaf} label="leaf hash" />
      </li>
      {rungs.map((rung, index) => (
        <li key={rung.parent} className="border-line border-t py-1.5">
          Step {index + 1}, its sibling at the {rung.own === 'left' ? 'right' : 'left'}: SHA-256(0x01 ‖{' '}
          <Hash value={rung.left} label={`left hash of step ${index + 1}`} /> ‖{' '}
          <Hash value={rung.right} label={`right hash of step ${index + 1}`} />) ={' '}
          <Hash value={rung.parent} label={`result of step ${index + 1}`} />
        </li>
      ))}
    </ol>
  )
}

const Hash = (props: { value: string; label: string }) => <Copyable {...props} shorten="middle" />
