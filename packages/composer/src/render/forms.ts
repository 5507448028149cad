import type { RenderContext } from './context.ts';
import { type Html, html } from './html.ts';

const trap = ({
  labels,
}: RenderContext) => html`<div hidden><label>${labels.leaveEmpty} <input name="_gotcha" tabindex="-1" autocomplete="off"></label></div>
<input type="hidden" name="_next" value="/thanks">
`;

const field = (label: string, control: Html) => html`<label>${label}
${control}</label>
`;

/** A form that posts to the platform's `/_forms/<name>` (docs/sites.md), with or without JavaScript. */
function form(context: RenderContext, name: string, fields: Html, button: string): Html {
  return html`<form class="form" method="post" action="/_forms/${name}">
${fields}${trap(context)}<button class="button">${button}</button>
</form>
`;
}

const nameField = ({ labels }: RenderContext) => field(labels.yourName, html`<input name="name" autocomplete="name" required>`);
const emailField = ({ labels }: RenderContext) =>
  field(labels.yourEmail, html`<input name="email" type="email" autocomplete="email" required>`);
const messageField = ({ labels }: RenderContext) => field(labels.yourMessage, html`<textarea name="message" rows="5" required></textarea>`);

export const contactForm = (context: RenderContext): Html =>
  form(context, 'contact', html`${nameField(context)}${emailField(context)}${messageField(context)}`, context.labels.send);

export const bookingForm = (context: RenderContext): Html => {
  const date = field(context.labels.wishedDate, html`<input name="date">`);
  return form(context, 'booking', html`${nameField(context)}${emailField(context)}${date}${messageField(context)}`, context.labels.send);
};

export const newsletterForm = (context: RenderContext): Html => form(context, 'newsletter', emailField(context), context.labels.subscribe);
