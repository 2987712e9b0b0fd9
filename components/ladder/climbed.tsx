import * as t from '#components/texts/ladder/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import type { Ladder } from '#lib/verify/ladder.ts'
import { LadderPicture } from './ladder-picture.tsx'
import { LadderSteps } from './ladder-steps.tsx'

/** The result of climbing a path. Only the comparison with the signed root can fail, so no single step is marked as wrong. */
export function Climbed({
  ladder,
  root,
  from,
  of,
}: {
  ladder: Ladder
  root: string
  from: string
  of: 'record' | 'day'
}) {
  const reached = ladder.root === root
  return (
    <>
      <p className="font-semibold">{reached ? t.reachesSignedRoot({ from }) : t.reachesOtherRoot({ from })}</p>
      {!reached && (
        <p className="flex flex-wrap items-center gap-x-1.5">
          {t.itReachesCopyableEither({ copyable: () => <Copyable value={ladder.root} label={t.computedRoot} /> })}
        </p>
      )}
      <div className="grid gap-6 wide:grid-cols-2">
        <LadderPicture ladder={ladder} of={of} />
        <LadderSteps ladder={ladder} of={of} />
      </div>
    </>
  )
}
