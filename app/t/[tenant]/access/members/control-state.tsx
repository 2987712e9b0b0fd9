import { shownText } from '#components/language/shown-text.tsx'
import * as t from '#components/texts/access-members/en.ts'
import { Time } from '#components/ui/text/time.tsx'
import type { AccountControl, Member } from '#lib/schemas/members.ts'

const PROOF: Record<NonNullable<AccountControl['proof']>, string> = {
  operator: t.provedByOperator,
  provider: t.provedByIdentityProvider,
  before: t.fromBeforeTheseRecords,
  mail: t.provedByMailedLink,
  vouch: t.vouchedFor,
}

/** Whether it is proved that the holder of the account controls it, or as whom they count until then. `full`: with all facts. */
export function ControlState({ member, full = false }: { member: Member; full?: boolean }) {
  const { control } = member
  if (control === null || member.status === 'removed') return null
  const { countsAs, proof, provedAt, provedBy } = control
  if (countsAs.length > 0)
    return (
      <span className="flex flex-col text-hold">
        {(full ? countsAs : distinctPeople(countsAs)).map(({ displayName, kind, at, mailed }, index, shown) => (
          <span key={`${at} ${displayName}`}>
            {t.countsAs({ displayName, shown: shownText })}
            {full && (
              <span className="text-ink-2">
                {t.countsDetail({
                  kind,
                  at: () => <Time at={at} />,
                  // Only the newest mail is known, and older links don't work any more.
                  handover: !mailed ? 'shown' : index === shown.length - 1 ? mailState(member) : 'mailed',
                })}
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
      {provedBy !== null && <>{t.provedBy({ provedBy, shown: shownText })}</>}
      {full && proof !== 'before' && provedAt !== null && (
        <span className="text-ink-2">
          , <Time at={provedAt} />
        </span>
      )}
    </span>
  )
}

const mailState = ({ linkMail }: Member) => (linkMail?.delivery === 'failed' ? 'failed' : 'mailed')

/** One row for a person who both invited and reset the account. */
const distinctPeople = (countsAs: AccountControl['countsAs']): AccountControl['countsAs'] =>
  countsAs.filter((one, index) => countsAs.findIndex(({ displayName }) => displayName === one.displayName) === index)
