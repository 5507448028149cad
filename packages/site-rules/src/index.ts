export { isHashedName } from './hashed-name.ts';
export { HeaderRules } from './header-rules.ts';
export { PathPattern, pathOf } from './path-pattern.ts';
export { Redirects } from './redirects.ts';
export { noRules, type RedirectRule, rulesPaths, type SiteRules } from './rule.ts';
