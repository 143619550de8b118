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
 * When the program exits, writes to standard error which packages it has loaded. The program must import this file
 * before all others, with `--import`.
 */
process.on('exit', () => process.stderr.write([...loaded].map((name) => `loaded ${name}\n`).join('')))
