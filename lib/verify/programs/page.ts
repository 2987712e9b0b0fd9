import { parseJson } from '../bytes.ts'
import { type ArchiveLadder, ladderIn } from '../ladder.ts'
import { type Check, type State, verdictNames } from '../report.ts'
import { verifyArchive } from '../verify.ts'
import { aboutLines, conclusionOf, keyLines, questions } from '../words.ts'

// verify.html of every archive: the verifier for a browser that opens the file from a disk. It connects to nothing.

const stateWords: Record<State, string> = { holds: 'Holds', fails: 'FAILS', 'not checked': 'Not checked' }

/** Connects the page's fields to the verifier. */
export function startPage(): void {
  const [archive, keys, adjacent, authority] = ['archive', 'keys', 'adjacent', 'authority'].map((id) => field(id))
  const [fingerprint, witness] = [field('fingerprint'), field('witness')]
  const run = () => {
    const file = archive?.files?.[0]
    if (file === undefined) return
    const given = { fingerprint: fingerprint?.value ?? '', witness: witness?.value ?? '', keys: keys?.files?.[0] }
    void check(file, { ...given, adjacent: adjacent?.files?.[0], authority: authority?.files?.[0] })
  }
  for (const input of [archive, keys, adjacent, authority, fingerprint, witness]) input?.addEventListener('change', run)
}

const field = (id: string): HTMLInputElement | undefined => {
  const found = document.getElementById(id)
  return found instanceof HTMLInputElement ? found : undefined
}

/** Only the newest check may write into the page. */
let running = 0

type Given = {
  fingerprint: string
  witness: string
  keys: File | undefined
  adjacent: File | undefined
  authority: File | undefined
}

async function check(file: File, { fingerprint, witness, keys, adjacent, authority }: Given): Promise<void> {
  running += 1
  const own = running
  const show = (id: string, ...content: (Node | string)[]) => {
    if (own === running) document.getElementById(id)?.replaceChildren(...content)
  }
  for (const id of ['about', 'verdicts', 'ladder']) show(id)
  show('conclusion', `Checking ${file.name}`)
  const report = await verifyArchive(
    file,
    {
      fingerprint: fingerprint.trim() === '' ? undefined : fingerprint,
      published: keys === undefined ? undefined : async () => parseJson(await keys.text(), keys.name),
      adjacent,
      witness: witness.trim() === '' ? undefined : witness,
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
  // The verdicts say what is damaged; an archive without a readable path only lacks its picture.
  const climbed = await ladderIn(file).catch(() => undefined)
  if (climbed !== undefined) show('ladder', ...drawn(climbed))
}

/** One record's path as a ladder, the leaf at the bottom and the root at the top. */
function drawn({ seq, size, date, action, ladder, root }: ArchiveLadder): HTMLElement[] {
  const { leaf, rungs, root: reached } = ladder
  const node = (hash: string, own: boolean, label: string) => {
    const made = element('span', `${shortened(hash)} ${label}`)
    made.className = own ? 'computed' : 'given'
    made.title = hash
    return made
  }
  const row = (...nodes: HTMLElement[]) => {
    const made = element('li')
    made.append(...nodes)
    return made
  }
  const side = (hash: string, own: boolean) =>
    node(hash, own, hash === leaf ? 'this record' : own ? 'computed' : 'given')
  const steps = element('ol')
  steps.className = 'ladder'
  steps.append(
    row(node(reached, true, 'root')),
    ...rungs.toReversed().map(({ left, right, own }) => row(side(left, own === 'left'), side(right, own === 'right'))),
  )
  const same = reached === root
  const result = element(
    'p',
    same
      ? 'From the record in this archive, this browser reaches the signed root.'
      : `From the record in this archive, this browser reaches a different root from the signed one, which is ${root}.`,
  )
  result.className = same ? 'holds' : 'fails'
  const which = `One record’s way to the signed root: ${action}, number ${seq} of ${size} on ${date}`
  const how =
    'Each node is SHA-256 over the byte 1 and the two nodes below it; the leaf is SHA-256 over the byte 0 and the record’s entry.'
  return [element('h2', which), result, steps, element('p', how)]
}

const shortened = (hash: string): string => `${hash.slice(0, 8)}…${hash.slice(-8)}`

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
