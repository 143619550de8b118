import { registerHooks } from 'node:module'

const loaded = new Set<string>()
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(resolved.url)?.[1]
    if (name !== undefined) loaded.add(name)
    return resolved
  },
})

/**
 * Writes to standard error, when the program ends, the packages that it has loaded, one a line. The program is
 * started with `--import` of this file.
 */
process.on('exit', () => process.stderr.write([...loaded].map((name) => `loaded ${name}\n`).join('')))
