import * as t from '#components/texts/evidence/en.ts'
import { type Report, type State, verdictNames } from '#lib/verify/report.ts'

/** What a verification found, to follow the name of the archive: "four answers hold, one was not checked". */
export function resultWords({ verdicts }: Pick<Report, 'verdicts'>): string {
  const count = (state: State) => verdictNames.filter((name) => verdicts[name] === state).length
  const [held, failed, open] = [count('holds'), count('fails'), count('not checked')]
  return t.found({
    held,
    failed,
    open,
    failedAndHeld: String(failed > 0 && held > 0),
    andOpen: String(failed + held > 0 && open > 0),
  })
}
