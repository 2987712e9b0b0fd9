import { type Report, type State, verdictNames } from '#lib/verify/report.ts'

const numbers = ['no', 'one', 'two', 'three', 'four', 'five']

/** What a verification found, to follow the name of the archive: "four answers hold, one was not checked". */
export function resultWords({ verdicts }: Pick<Report, 'verdicts'>): string {
  const count = (state: State) => verdictNames.filter((name) => verdicts[name] === state).length
  const [held, failed, open] = [count('holds'), count('fails'), count('not checked')]
  if (held === verdictNames.length) return `all ${numbers[held]} answers hold`
  return [
    failed > 0 && `${answers(failed)} ${failed === 1 ? 'fails' : 'fail'}`,
    held > 0 && `${answers(held)} ${held === 1 ? 'holds' : 'hold'}`,
    open > 0 && `${numbers[open]} ${open === 1 ? 'was' : 'were'} not checked`,
  ]
    .filter((part) => part !== false)
    .join(', ')
}

const answers = (count: number): string => `${numbers[count]} ${count === 1 ? 'answer' : 'answers'}`
