const frame = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><title>${title}</title>
<link rel="icon" href="/mark.svg"><link rel="stylesheet" href="/style.css"><script defer src="/app.js"></script>
</head>
<body><nav><a href="/">Home</a> <a href="/about">About</a> <a href="/contact">Contact</a></nav><main><h1>${title}</h1>${body}</main></body>
</html>`;

/** Three pages with a style sheet, a form, and a script that adds a fourth page with history.pushState. */
export const smallSite = {
  'index.html': frame('Home', '<p id="mood">rainy</p>'),
  'about.html': frame('About', '<button id="team">Our team</button>'),
  'contact.html': frame(
    'Contact',
    `<form method="post" action="/_forms/contact">
      <label>Name <input name="name" required></label><label>Email <input name="email" type="email" required></label>
      <div hidden><input name="_gotcha"></div><button>Send</button>
    </form>`,
  ),
  'style.css': 'h1 { color: rgb(1, 2, 3) }',
  'mark.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>',
  'app.js': `document.querySelector('#mood')?.replaceChildren('sunny');
    document.querySelector('#team')?.addEventListener('click', () => {
      history.pushState({}, '', '/about/team');
      document.querySelector('h1').textContent = 'Our team';
    });`,
};
