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
 * Writes the packages that the program has loaded to standard error when it ends, one a line. A program must import
 * this file first.
 */
process.on('exit', () => process.stderr.write([...loaded].map((name) => `loaded ${name}\n`).join('')))
