import { parseJson } from './bytes.ts'
import { type Check, type State, verdictNames } from './report.ts'
import { verifyArchive } from './verify.ts'
import { aboutLines, conclusionOf, keyLines, questions } from './words.ts'

// verify.html of every archive: the verifier for a browser that opens the file from a disk. It connects to nothing.

const stateWords: Record<State, string> = { holds: 'Holds', fails: 'FAILS', 'not checked': 'Not checked' }

/** Connects the page's fields to the verifier. */
export function startPage(): void {
  const [archive, keys, adjacent, authority] = ['archive', 'keys', 'adjacent', 'authority'].map((id) => field(id))
  const fingerprint = field('fingerprint')
  const run = () => {
    const file = archive?.files?.[0]
    if (file === undefined) return
    const given = { fingerprint: fingerprint?.value ?? '', keys: keys?.files?.[0] }
    void check(file, { ...given, adjacent: adjacent?.files?.[0], authority: authority?.files?.[0] })
  }
  for (const input of [archive, keys, adjacent, authority, fingerprint]) input?.addEventListener('change', run)
}

const field = (id: string): HTMLInputElement | undefined => {
  const found = document.getElementById(id)
  return found instanceof HTMLInputElement ? found : undefined
}

/** Only the newest check may write into the page. */
let running = 0

type Given = {
  fingerprint: string
  keys: File | undefined
  adjacent: File | undefined
  authority: File | undefined
}

async function check(file: File, { fingerprint, keys, adjacent, authority }: Given): Promise<void> {
  running += 1
  const own = running
  const show = (id: string, ...content: (Node | string)[]) => {
    if (own === running) document.getElementById(id)?.replaceChildren(...content)
  }
  for (const id of ['about', 'verdicts']) show(id)
  show('conclusion', `Checking ${file.name}`)
  const report = await verifyArchive(
    file,
    {
      fingerprint: fingerprint.trim() === '' ? undefined : fingerprint,
      published: keys === undefined ? undefined : async () => parseJson(await keys.text(), keys.name),
      adjacent,
      authority: authority && (() => authority.text()),
    },
    {
      progress: (share) => show('conclusion', `Checking ${file.name}, ${Math.floor(share * 100)} % read`),
    },
  )
  const key = report.fingerprint === undefined ? [] : keyLines(report.fingerprint)
  if (report.about !== undefined)
    show(
      'about',
      ...[...aboutLines(report.about), ...key].flatMap(([label, text]) => [element('dt', label), element('dd', text)]),
    )
  show(
    'verdicts',
    ...verdictNames.map((name) => {
      const checks = report.checks.filter((one) => one.verdict === name)
      const section = element('section')
      const state = report.verdicts[name]
      section.className = state.replace(' ', '-')
      section.append(
        element('h2', `${questions[name].title}: ${stateWords[state].toLowerCase()}`),
        element('p', questions[name].question),
        list(checks),
      )
      return section
    }),
  )
  show('conclusion', conclusionOf(report))
}

function list(checks: readonly Check[]): HTMLElement {
  const made = element('ul')
  for (const { name, state, detail } of checks) {
    const item = element('li', `${stateWords[state]}: ${name}. ${detail}`)
    item.className = state.replace(' ', '-')
    made.append(item)
  }
  return made
}

function element(name: string, text = ''): HTMLElement {
  const made = document.createElement(name)
  made.textContent = text
  return made
}
