import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const LICENCE = /^(licen[cs]e|copying|notice)([.-].*)?$/i

/** The licence texts of all packages that are installed and not for development alone, each under its name. */
export async function licencesOf(root, lockfileText) {
  const { packages } = JSON.parse(lockfileText)
  const texts = []
  for (const [path, { dev, version, license }] of Object.entries(packages)) {
    if (path === '' || dev) continue
    const files = await readdir(join(root, path)).catch((error) => {
      // A package of another platform.
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (files === undefined) continue
    const found = files.filter((file) => LICENCE.test(file)).sort()
    const read = await Promise.all(found.map((file) => readFile(join(root, path, file), 'utf8')))
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    texts.push([`${name} ${version} (${license})`, ...read.map((text) => text.trim())].join('\n\n'))
  }
  return `${texts.sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
