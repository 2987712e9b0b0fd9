import * as t from '#components/texts/ladder/en.ts'
import { classNames } from '#components/ui/text/class-names.ts'
import type { Ladder } from '#lib/verify/ladder.ts'
import { shortHash } from './short-hash.ts'

/** The path as a ladder, the leaf at the bottom and the root at the top. The list next to it contains the same in words. */
export function LadderPicture({ ladder: { leaf, rungs, root }, of }: { ladder: Ladder; of: 'record' | 'day' }) {
  return (
    <div aria-hidden="true" className="flex flex-col self-start border border-line bg-surface p-3 font-mono text-dense">
      <Node hash={root} label={t.rootLabel} own />
      {rungs.toReversed().map((rung) => (
        <div key={rung.parent} className="flex flex-col">
          <div className="mx-auto h-3 w-px bg-line-strong" />
          <div className="mx-[25%] h-2 border-line-strong border-x border-t" />
          <div className="grid grid-cols-2 gap-3">
            <Node
              hash={rung.left}
              own={rung.own === 'left'}
              label={rung.left === leaf ? t.thisLeaf({ of }) : label(rung.own === 'left')}
            />
            <Node
              hash={rung.right}
              own={rung.own === 'right'}
              label={rung.right === leaf ? t.thisLeaf({ of }) : label(rung.own === 'right')}
            />
          </div>
        </div>
      ))}
    </div>
  )
}

const label = (own: boolean): string => (own ? t.computed : t.given)

function Node({ hash, label, own }: { hash: string; label: string; own: boolean }) {
  return (
    <div
      className={classNames(
        'flex flex-wrap items-baseline justify-between gap-x-2 border px-1.5 py-0.5',
        own ? 'border-ink bg-raised' : 'border-line-strong border-dashed text-ink-2',
      )}
    >
      <span>{shortHash(hash)}</span>
      <span className="font-sans text-ink-2">{label}</span>
    </div>
  )
}
