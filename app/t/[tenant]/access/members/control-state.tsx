import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import type { AccountControl, Member } from '#lib/schemas/members.ts'

const PROOF: Record<NonNullable<AccountControl['proof']>, string> = {
  operator: 'Proved by the operator',
  provider: 'Proved by the identity provider',
  before: 'From before these records, to be reviewed',
  mail: 'Proved by a mailed link',
  vouch: 'Vouched for',
}

/** Whether it is proved that the holder of the account controls it, or as whom they count until then. `full`: with all facts. */
export function ControlState({ member, full = false }: { member: Member; full?: boolean }) {
  const { control } = member
  if (control === null || member.status === 'removed') return null
  const { countsAs, proof, provedAt, provedBy } = control
  if (countsAs.length > 0)
    return (
      <span className="flex flex-col text-hold">
        {(full ? countsAs : distinctPeople(countsAs)).map(({ displayName, kind, at, mailed }) => (
          <span key={`${at} ${displayName}`}>
            Counts as <ShownText>{displayName}</ShownText> until control is proved
            {full && (
              <span className="text-ink-2">
                : {kind} <Time at={at} />, {mailed ? 'link sent by mail' : 'link shown'}
              </span>
            )}
          </span>
        ))}
      </span>
    )
  if (proof === null) return null
  return (
    <span>
      {PROOF[proof]}
      {provedBy !== null && (
        <>
          {' '}
          by <ShownText>{provedBy}</ShownText>
        </>
      )}
      {full && proof !== 'before' && provedAt !== null && (
        <span className="text-ink-2">
          , <Time at={provedAt} />
        </span>
      )}
    </span>
  )
}

/** One row for a person who both invited and reset the account. */
const distinctPeople = (countsAs: AccountControl['countsAs']): AccountControl['countsAs'] =>
  countsAs.filter((one, index) => countsAs.findIndex(({ displayName }) => displayName === one.displayName) === index)
